import pg from 'pg';
import { postgresAddress } from '../config/postgres-address.ts';
import { describeRedisAddress, type RedisAddress } from '../config/redis-address.ts';
import { DatabaseUnavailable, SchemaOutdated } from '../postgres/errors.ts';

type Store = 'PostgreSQL' | 'Elasticsearch' | 'Redis';

/** A failure that a store has caused: its address, what it or its driver says, and what to do. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
  /** Whether the same command may succeed later, without any change. */
  readonly mayPass: boolean;

  constructor(message: string, { mayPass, cause }: { mayPass: boolean; cause: unknown }) {
    super(message, { cause });
    this.mayPass = mayPass;
  }
}

const MIGRATE = 'node services/api/src/commands/migrate.ts';
const CLIENT_CERTIFICATE = /alert (certificate|bad certificate|unknown ca|unsupported certificate|handshake failure|no certificate)/i;
const IS_RUNNING = 'Is the stack running?';

/** What to do, by what a store or its driver says. The first row that matches applies. */
const HINTS: readonly (readonly [store: Store | '*', said: RegExp, hint: string, mayPass?: 'may pass'])[] = [
  [
    'PostgreSQL',
    /self-signed|unable to (get|verify)/,
    'Set NODE_EXTRA_CA_CERTS, or sslrootcert in DATABASE_URL, to the certificate of its authority.',
  ],
  ['*', /self-signed|unable to (get|verify)/, 'Set NODE_EXTRA_CA_CERTS to the path of the certificate of its authority.'],
  ['*', /altnames/, 'Use a host that its certificate names.'],
  ['*', /certificate (has expired|is not yet valid)/, 'Renew its certificate.'],
  ['PostgreSQL', /client certificate|sslcert/, 'Correct sslcert and sslkey in DATABASE_URL.'],
  ['PostgreSQL', CLIENT_CERTIFICATE, 'Correct sslcert and sslkey in DATABASE_URL.'],
  ['PostgreSQL', /SQLSTATE 28P01|password must be a/, 'Correct the user and the password in DATABASE_URL.'],
  ['PostgreSQL', /no encryption/, 'Correct DATABASE_URL or pg_hba.conf. If it demands TLS, add sslmode=verify-full to DATABASE_URL.'],
  ['PostgreSQL', /SQLSTATE 28000/, 'Correct DATABASE_URL, with sslcert and sslkey if it demands them, or pg_hba.conf.'],
  ['PostgreSQL', /SQLSTATE 3D000/, `Correct DATABASE_URL, or create the database and run ${MIGRATE}.`],
  ['PostgreSQL', /SQLSTATE 42501/, 'Grant the privilege.'],
  ['PostgreSQL', /SQLSTATE (42P01|42703|3F000|42883)/, `The schema lacks migrations: run ${MIGRATE}.`],
  ['PostgreSQL', /(invalid|unknown|unrecognized) (response|message)/i, 'It is not PostgreSQL: correct DATABASE_URL.'],
  ['PostgreSQL', /does not support SSL/, 'Remove sslmode from DATABASE_URL, or switch ssl on there.'],
  [
    'PostgreSQL',
    /SQLSTATE 25006/,
    'It is read-only: connect DATABASE_URL to the primary, or switch default_transaction_read_only off.',
    'may pass',
  ],
  ['PostgreSQL', /SQLSTATE 53100/, 'Its disk is full: free space on it.', 'may pass'],
  ['PostgreSQL', /SQLSTATE (08|40|53|54000|57|58|55P03)/, 'Try again.', 'may pass'],
  ['PostgreSQL', /SQLSTATE/, ''],
  ['Elasticsearch', /media_type_header_exception/, 'It is too old: it must be version 9 or later.'],
  ['Elasticsearch', /^3\d\d/, 'It redirects to another address: correct ELASTICSEARCH_URL.'],
  ['Elasticsearch', /^401/, 'Correct ELASTICSEARCH_API_KEY, or the user and the password in ELASTICSEARCH_URL.'],
  ['Elasticsearch', /^403/, 'Grant the privilege, or remove the block.'],
  // A restart of Elasticsearch loses the point in time that an audit reads.
  ['Elasticsearch', /^(429|5\d\d)|search_context_missing_exception/, 'Try again.', 'may pass'],
  [
    'Elasticsearch',
    /X-Elastic-Product|not Elasticsearch|Parse Error/,
    'It is not Elasticsearch, or a proxy removes the header X-Elastic-Product: correct ELASTICSEARCH_URL.',
  ],
  ['Elasticsearch', /^(4\d\d|is OpenSearch)/, ''],
  // The client does not pass on why a server ends a handshake.
  [
    'Elasticsearch',
    /other side closed|socket hang up|ECONNRESET|alert/i,
    `If it demands a client certificate, correct ELASTICSEARCH_CLIENT_CERT_FILE and ELASTICSEARCH_CLIENT_KEY_FILE. ${IS_RUNNING}`,
    'may pass',
  ],
  ['Redis', /^NOAUTH/, 'Add the user and the password to REDIS_URL.'],
  ['Redis', /^(WRONGPASS|ERR (AUTH|invalid password))/, 'Correct the user and the password in REDIS_URL.'],
  ['Redis', /protocol error/i, 'It is not Redis: correct REDIS_URL.'],
  ['Redis', /^CROSSSLOT/, 'It runs in cluster mode: set QUEUE_PREFIX={<prefix>} for every API and indexer.'],
  ['Redis', /^MOVED/, 'It is a node of a cluster: set REDIS_URL to the named one, which has the keys of QUEUE_PREFIX=<prefix>.'],
  ['Redis', /^NOPERM.*\bkeys?\b/, 'The service needs its keys: run ACL SETUSER <user> ~<prefix>:*'],
  ['Redis', /DB index/, 'Correct the database at the end of REDIS_URL: database 0 is used.'],
  ['Redis', /^OOM/, 'Its memory is full: raise its maxmemory, or free what others have stored there.', 'may pass'],
  ['Redis', /^READONLY/, 'It is a replica: set REDIS_URL to the primary, or to the sentinels and REDIS_SENTINEL_NAME.', 'may pass'],
  ['Redis', /^MISCONF/, 'It cannot write to its disk: free space there, or correct its permissions.', 'may pass'],
  ['Redis', /^NOREPLICAS/, 'It lacks replicas: start them, or lower its min-replicas-to-write.', 'may pass'],
  ['Redis', /^LOADING/, 'It loads its data: wait until it is done.', 'may pass'],
  ['Redis', /^(MASTERDOWN|CLUSTERDOWN)/, 'Try again.', 'may pass'],
  ['Redis', /^[A-Z]+ /, ''],
  ['*', /^/, IS_RUNNING, 'may pass'],
];

type Said = { store: Store; at: string; error: unknown; said: string; secrets: (string | undefined)[] };

export function failureOf({ store, at, error, said, secrets }: Said): StoreFailure {
  const [, , hint = '', mayPass] = hintFor(store, said) ?? [];
  const shown = secrets.reduce<string>((text, secret) => (secret ? text.replaceAll(secret, '…') : text), said);
  const message = `${store} at ${at}: ${shown.replace(/\.$/, '')}. ${hint}`.trimEnd();
  return new StoreFailure(message, { mayPass: mayPass !== undefined, cause: error });
}

function hintFor(store: Store, said: string) {
  return HINTS.find(([of, pattern]) => ['*', store].includes(of) && pattern.test(said));
}

/** @returns undefined if the error is not one of PostgreSQL */
export function describePostgresFailure(error: unknown, url: string): StoreFailure | undefined {
  const isWrapped = error instanceof DatabaseUnavailable || error instanceof SchemaOutdated;
  const cause = isWrapped && error.cause !== undefined ? error.cause : error;
  const isAnswer = cause instanceof pg.DatabaseError;
  if (!isAnswer && !(error instanceof DatabaseUnavailable)) return undefined;
  const { address, user, database } = postgresAddress(url);
  const said = `${firstLine(cause)}${isAnswer ? ` (SQLSTATE ${cause.code})` : ''}`;
  const at = `${address} (user ${user}, database ${database})`;
  return failureOf({ store: 'PostgreSQL', at, error, said, secrets: passwordsIn(url) });
}

/** Why Redis cannot be used. @param error the last one of the connection, if any */
export function describeRedisFailure(address: RedisAddress, error: Error | undefined): string {
  const secrets = [address.REDIS_SENTINEL_PASSWORD, ...passwordsIn(address.REDIS_URL)];
  const said = error ? firstLine(error) : 'no response';
  return failureOf({ store: 'Redis', at: describeRedisAddress(address), error, said, secrets }).message;
}

/** What Redis refuses, with what to do. */
export function describeRedisRefusal(message: string, { user, queuePrefix }: { user: string; queuePrefix: string }): string {
  const [, , hint = ''] = hintFor('Redis', message) ?? [];
  return `Redis: ${message}. ${hint.replace('<prefix>', queuePrefix).replace('<user>', user)}`.trimEnd();
}

/** @returns the first line of what has happened; errors of several addresses have no message of their own */
export function firstLine(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return firstLine(error.errors[0]);
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}

/** They are listed as they are in the URLs, and decoded. */
export function passwordsIn(urls: string): string[] {
  const passwords = [...urls.matchAll(/:\/\/[^/?#@:]*:([^/?#@]+)@/g)].map(([, password = '']) => password);
  return passwords.flatMap((password) => [password, decodeURIComponent(password)]);
}
