import pg from 'pg';
import { isCertificateAlert } from '../process/client-certificate.ts';
import { postgresAddress } from '../process/postgres-address.ts';
import { DatabaseUnavailable, SchemaOutdated } from './postgres-errors.ts';
import { firstLine, StoreFailure } from './store-failure.ts';

const MIGRATE = 'node services/api/src/commands/migrate.ts';
/** Table, column, schema, function. */
const UNDEFINED_OBJECTS = ['42P01', '42703', '3F000', '42883'];

/** @returns undefined if the error is not one of PostgreSQL */
export function describePostgresFailure(error: unknown, url: string): StoreFailure | undefined {
  const isWrapped = error instanceof DatabaseUnavailable || error instanceof SchemaOutdated;
  const cause = isWrapped && error.cause !== undefined ? error.cause : error;
  if (cause instanceof pg.DatabaseError)
    return new StoreFailure(describeAnswer(cause, url), { mayPass: mayPass(error, cause), cause: error });
  if (!(error instanceof DatabaseUnavailable)) return undefined;
  return describeSilence(cause, url);
}

/** A wrong user, password, database or privilege does not pass, though there is no connection either. */
function mayPass(error: unknown, { code = '' }: pg.DatabaseError): boolean {
  return error instanceof DatabaseUnavailable && !/^(28|3D|42)/.test(code);
}

function describeAnswer({ code = '', message }: pg.DatabaseError, url: string): string {
  const { postgres, user, database } = partsOf(url);
  const said = firstLine(new Error(message));
  if (code === '28P01') return `${postgres} does not accept the password of the user ${user}: correct DATABASE_URL.`;
  // The message names the method that follows, such as trust, if the certificate is that of another user.
  if (code === '28000' && /certificate|sslcert=/.test(said + url)) return certificateDemanded(postgres, user, said);
  if (code === '28000') return `${postgres} does not let the user ${user} connect (${said}): correct DATABASE_URL or pg_hba.conf.`;
  if (code === '3D000') return `${postgres} has no database ${database}: correct DATABASE_URL, or create it and run ${MIGRATE}.`;
  if (code === '42501') return `${postgres} does not permit it to the user ${user} (${said}): grant the privilege.`;
  if (UNDEFINED_OBJECTS.includes(code)) return `The database ${database} of ${postgres} lacks migrations (${said}): run ${MIGRATE}.`;
  return `${postgres} reports: ${said} (SQLSTATE ${code}).`;
}

function certificateDemanded(postgres: string, user: string, said: string): string {
  return `${postgres} demands a client certificate of the user ${user} that it trusts (${said}): correct sslcert and sslkey in DATABASE_URL.`;
}

/** PostgreSQL has not answered. */
function describeSilence(cause: unknown, url: string): StoreFailure {
  const { postgres, address, user } = partsOf(url);
  const said = firstLine(cause);
  if (/invalid response|unknown message|unrecognized message/i.test(said)) {
    return new StoreFailure(`The server at ${address} is not PostgreSQL: correct DATABASE_URL.`, { mayPass: false, cause });
  }
  if (isCertificateAlert(said)) return new StoreFailure(certificateDemanded(postgres, user, said), { mayPass: false, cause });
  return new StoreFailure(`${postgres} does not respond (${said}). Is the stack running?`, { mayPass: true, cause });
}

function partsOf(url: string): { postgres: string; address: string; user: string; database: string } {
  const parts = postgresAddress(url);
  return { postgres: `PostgreSQL at ${parts.address}`, ...parts };
}
