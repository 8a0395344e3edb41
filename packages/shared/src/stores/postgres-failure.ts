import pg from 'pg';
import { certificateProblem } from '../process/certificate-problem.ts';
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
  if (code === '28000') return describeRefusal(said, url);
  if (code === '3D000') return `${postgres} has no database ${database}: correct DATABASE_URL, or create it and run ${MIGRATE}.`;
  if (code === '42501') return `${postgres} does not permit it to the user ${user} (${said}): grant the privilege.`;
  if (UNDEFINED_OBJECTS.includes(code)) return `The database ${database} of ${postgres} lacks migrations (${said}): run ${MIGRATE}.`;
  return `${postgres} reports: ${said} (SQLSTATE ${code}).`;
}

/** The user may not connect, or not in this way. */
function describeRefusal(said: string, url: string): string {
  const { postgres, user } = partsOf(url);
  // The message names the method that follows, such as trust, if the certificate is that of another user.
  if (/certificate|sslcert=/.test(said + url)) return certificateDemanded(postgres, user, said);
  const tls = said.includes('no encryption') ? ' If it demands TLS, add sslmode=verify-full to DATABASE_URL.' : '';
  return `${postgres} does not let the user ${user} connect (${said}): correct DATABASE_URL or pg_hba.conf.${tls}`;
}

function certificateDemanded(postgres: string, user: string, said: string): string {
  return `${postgres} demands a client certificate of the user ${user} that it trusts (${said}): correct sslcert and sslkey in DATABASE_URL.`;
}

/** PostgreSQL has not answered, or not as the client expects. */
function describeSilence(cause: unknown, url: string): StoreFailure {
  const said = firstLine(cause);
  const problem = describeHandshake(said, url);
  if (problem !== undefined) return new StoreFailure(problem, { mayPass: false, cause });
  return new StoreFailure(`${partsOf(url).postgres} does not respond (${said}). Is the stack running?`, { mayPass: true, cause });
}

/** @returns undefined if the client has connected, or could not connect at all */
function describeHandshake(said: string, url: string): string | undefined {
  const { postgres, address, user } = partsOf(url);
  if (/invalid response|unknown message|unrecognized message/i.test(said))
    return `The server at ${address} is not PostgreSQL: correct DATABASE_URL.`;
  if (isCertificateAlert(said)) return certificateDemanded(postgres, user, said);
  if (said.includes('does not support SSL')) return `${postgres} has no TLS: remove sslmode from DATABASE_URL, or switch ssl on there.`;
  if (said.includes('password must be a')) return `${postgres} demands a password of the user ${user}: add it to DATABASE_URL.`;
  const problem = certificateProblem(postgres, said, 'NODE_EXTRA_CA_CERTS, or sslrootcert in DATABASE_URL,');
  return problem && `${problem}.`;
}

function partsOf(url: string): { postgres: string; address: string; user: string; database: string } {
  const parts = postgresAddress(url);
  return { postgres: `PostgreSQL at ${parts.address}`, ...parts };
}
