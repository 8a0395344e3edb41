import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Database } from '@ugc/shared/postgres/postgres';

/** Those of DATABASE_URL that the programs know too. They refuse others. */
const PARAMETERS = ['host', 'port', 'options', 'sslmode', 'sslnegotiation', 'sslcert', 'sslkey', 'sslrootcert'];

/** Says what has failed. If it is a program of PostgreSQL, that has printed why. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

type Options = {
  url: string;
  /** The major version of the server. */
  server: number;
  signal: AbortSignal;
  stdin?: 'ignore' | 'pipe';
  stdout?: 'ignore' | 'pipe';
};
/** `ended` throws a BackupError if the program fails. */
type Program = { child: ChildProcess; ended: Promise<void> };

/** Starts a program of PostgreSQL, which prints its messages itself; on a terminal, also its progress. */
export function startProgram(name: string, args: string[], { url, server, signal, stdin = 'ignore', stdout = 'ignore' }: Options): Program {
  // Other users of the machine can read arguments, but not the environment.
  const { password } = new pg.Client(url);
  const env = { ...process.env, PGAPPNAME: `ugc-${name}`, ...(password && { PGPASSWORD: password }) };
  const child = spawn(name, args, { env, signal, stdio: [stdin, stdout, 'inherit'] });
  const ended = once(child, 'close').then(
    async ([code]) => {
      if (code !== 0) throw new BackupError([`${name} has failed.`, ...(await whyTooOld(name, server))].join(' '));
    },
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      throw new BackupError(`There is no ${name} on PATH: ${install(server)}`);
    },
  );
  ended.catch(() => undefined);
  return { child, ended };
}

/** @returns nothing if the program is not older than the server, or does not say what it is */
async function whyTooOld(name: string, server: number): Promise<string[]> {
  const { stdout } = await promisify(execFile)(name, ['--version']).catch(() => ({ stdout: '' }));
  const version = Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1]);
  return version < server ? [`It is that of PostgreSQL ${version}, and the server has version ${server}: ${install(server)}`] : [];
}

/** The packages of a distribution are often older than the server. */
function install(server: number): string {
  return (
    `install the client programs of PostgreSQL ${server} or newer. On Debian and Ubuntu: apt-get install postgresql-common, ` +
    `run the script in /usr/share/postgresql-common/pgdg that adds the packages of PostgreSQL, ` +
    `apt-get install postgresql-client-${server}; then put /usr/lib/postgresql/${server}/bin first on PATH`
  );
}

export async function serverVersion({ query }: Pick<Database, 'query'>): Promise<number> {
  const [row] = await query<{ major: number }>(`select current_setting('server_version_num')::int / 10000 as major`);
  return row?.major ?? NaN;
}

export function progressOption(): string[] {
  return process.stderr.isTTY ? ['--verbose'] : [];
}

/** The option with which pg_dump and psql connect to DATABASE_URL as the service does. */
export function connectionOption(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.password = '';
  const { searchParams } = url;
  for (const name of [...searchParams.keys()]) if (!PARAMETERS.includes(name)) searchParams.delete(name);
  if (searchParams.get('sslmode') === 'no-verify') searchParams.set('sslmode', 'require');
  // The service trusts the public authorities and those of NODE_EXTRA_CA_CERTS.
  if (searchParams.get('sslmode') === 'verify-full' && !searchParams.has('sslrootcert'))
    searchParams.set('sslrootcert', process.env['NODE_EXTRA_CA_CERTS'] ?? 'system');
  // The programs do not read a plus as a blank.
  url.search = url.search.replaceAll('+', '%20');
  return `--dbname=${url.href}`;
}

/** All tables of the migrations. */
export const SERVICE_TABLES = (
  'backup blocked_user content content_thumbnail declared_field embedding embedding_model embedding_work erasure_receipt external_item hidden_content idempotency_key index_ahead index_comparison ' +
  'index_control index_dropped index_lock index_outbox index_target rating rename_progress schema_migration search_insight search_insight_user unpublished_content user_erasure users'
).split(' ');

/** @returns the tables of the service that the database holds */
export async function presentTables({ query }: Pick<Database, 'query'>): Promise<string[]> {
  const rows = await query<{ name: string }>(`select name from unnest($1::text[]) name where to_regclass(quote_ident(name)) is not null`, [
    SERVICE_TABLES,
  ]);
  return rows.map(({ name }) => name);
}

/** @throws BackupError if the database holds none of the tables that are backed up */
export async function requireTables(database: Pick<Database, 'query'>): Promise<void> {
  if ((await presentTables(database)).includes('content')) return;
  throw new BackupError('The database at DATABASE_URL does not hold the tables of this service.');
}
