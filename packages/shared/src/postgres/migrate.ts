import { PG_MIGRATE_LOCK_ID, runner } from 'node-pg-migrate';
import pg from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { throttle } from '../timing/intervals.ts';
import { storeTimeout } from '../timing/timeouts.ts';
import { describeLockHolders, LockWaits, type Report } from './lock-waits.ts';
import { isLast, refusalOf, RELEASE_1, STEPS } from './before-release-1.ts';
import { MIGRATIONS } from './schema.ts';
import { throwConnectError } from './errors.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const LOCK_POLL_MS = 500;
const REPORT_AGAIN_AFTER_MS = 30_000;

/** `dir`: the folder of the migrations. `report` gets a line for operators whenever a migration waits for another session. */
type Options = { dir?: string; report?: Report };
type Migrating = { client: pg.Client; dir: string; waits: LockWaits };
type Chosen = { file?: string; dryRun?: boolean };

/**
 * A lock of the session excludes concurrent calls, so this needs a connection without a pooler.
 * @returns the names of the applied migrations @throws DatabaseUnavailable if no connection is made
 */
export async function migrate(databaseUrl: string, options: Options = {}): Promise<string[]> {
  const { dir = MIGRATIONS, report = () => undefined } = options;
  const client = await connect(databaseUrl);
  const observer = await connect(databaseUrl).catch((error: unknown) => client.end().then(() => throwConnectError(error)));
  try {
    if (await isNew(client)) await assertUtf8(client);
    await excludeOthers(client, report);
    const migrating = { client, dir, waits: new LockWaits(observer, await pidOf(client), report) };
    return [...(await bringForward(migrating)), ...(await applyPending(migrating))];
  } finally {
    await observer.end();
    await client.end();
  }
}

/** @returns the migration that a database of the last commit before 1.0.0 has from now on @throws Error for an earlier one */
async function bringForward(migrating: Migrating): Promise<string[]> {
  const { client } = migrating;
  if (await isNew(client)) return [];
  const { rows } = await client.query<{ name: string }>('select name from schema_migration');
  const applied = rows.map(({ name }) => name);
  const refusal = refusalOf(applied);
  if (refusal !== undefined) throw new Error(refusal);
  if (!isLast(applied)) return [];
  await new MigrationSession(client).prepare();
  for (const step of STEPS) await withLocks(migrating, RELEASE_1, () => client.query(step));
  return [RELEASE_1];
}

async function applyPending(migrating: Migrating): Promise<string[]> {
  const pending = await run(migrating, { dryRun: true });
  for (const name of pending) await withLocks(migrating, name, () => run(migrating, { file: name }));
  return pending;
}

async function connect(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: storeTimeout(CONNECT_TIMEOUT_MS),
    application_name: 'ugc-migrate',
  });
  // Without a listener, a connection that is lost would end the process; the next query rejects anyway.
  client.on('error', () => undefined);
  await client.connect().catch(throwConnectError);
  return client;
}

/**
 * Until the end of the session. A session that waits for the lock has a snapshot, which `create index concurrently` in the
 * session that holds it would wait for in turn, so this asks again and again.
 */
async function excludeOthers(client: pg.Client, report: Report): Promise<void> {
  const reportHolder = throttle(REPORT_AGAIN_AFTER_MS, (holders: string) => report(`Another migration is running: ${holders}`));
  while (!(await tryLock(client))) {
    reportHolder(await describeLockHolders(client, PG_MIGRATE_LOCK_ID));
    await delay(LOCK_POLL_MS);
  }
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [PG_MIGRATE_LOCK_ID]);
  return rows[0]?.locked ?? false;
}
async function pidOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}

/** Repeats the work of a migration until it gets its locks at once, so that it never holds up others for long. */
async function withLocks({ client, waits }: Migrating, name: string, work: () => Promise<unknown>): Promise<void> {
  while (!(await waits.during(name, () => tryWithLocks(client, work)))) await waits.untilBlockersEnd(name);
}

/** @returns false if other transactions have locked what it needs */
async function tryWithLocks(client: pg.Client, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!isLockConflict(error)) throw error;
    await client.query('rollback');
    return false;
  }
}

/** @returns the names of the migrations that were applied, or that would be */
async function run({ client, dir }: Migrating, chosen: Chosen): Promise<string[]> {
  const session = new MigrationSession(client);
  await session.prepare();
  const migrations = await runner({
    ...chosen,
    dbClient: session as unknown as pg.ClientBase,
    dir,
    migrationsTable: 'schema_migration',
    direction: 'up',
    noLock: true,
    checkOrder: true,
    log: () => undefined,
  });
  return migrations.map(({ name }) => name);
}

async function isNew(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ isNew: boolean }>(`select to_regclass('schema_migration') is null as "isNew"`);
  return rows[0]?.isNew ?? true;
}

/** In another encoding, PostgreSQL cannot store every text, or counts and compares bytes instead of characters. */
async function assertUtf8(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; encoding: string }>(
    `select datname as name, pg_encoding_to_char(encoding) as encoding from pg_database where datname = current_database()`,
  );
  const [{ name, encoding } = { name: '', encoding: '' }] = rows;
  if (encoding === 'UTF8') return;
  throw new Error(
    `the database "${name}" has the encoding ${encoding} and must have UTF8; create another one with: create database NAME encoding 'UTF8' template template0`,
  );
}

/**
 * While a migration waits for a lock of a table, every later statement on the table waits behind it. The API gives a
 * statement 1.5 s, so no request fails that waits for this long.
 */
const LOCK_TIMEOUT = '1s';

/** What the migrations rely on, whatever the server, the database or the role have set. Older servers do not know all of them. */
const SETTINGS = {
  lock_timeout: LOCK_TIMEOUT,
  statement_timeout: '0',
  transaction_timeout: '0',
  idle_in_transaction_session_timeout: '0',
};

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

/** Whether the migration may succeed when other transactions have ended. */
function isLockConflict(error: unknown): boolean {
  return error instanceof pg.DatabaseError && [LOCK_NOT_AVAILABLE, DEADLOCK].includes(error.code ?? '');
}

/** Nobody waits behind such a statement. It waits for other transactions, and leaves an invalid index if it is stopped. */
const CONCURRENTLY = /^(?:create\s+(?:unique\s+)?index|drop\s+index|reindex\s+(?:\([^)]*\)\s*)?(?:index|table))\s+concurrently\s/i;
const CREATED = /^create\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?((?:"[^"]+"|\w+)(?:\.(?:"[^"]+"|\w+))?)\s+on\s/i;

const LEADING_COMMENTS = /^(?:\s|--.*\n|\/\*[\s\S]*?\*\/)+/;

/** The session of the migrations, as node-pg-migrate needs it. */
class MigrationSession {
  readonly #client: pg.Client;

  constructor(client: pg.Client) {
    this.#client = client;
  }

  async prepare(): Promise<void> {
    await this.#set(SETTINGS);
  }

  readonly query = async (text: string, values?: unknown[]): Promise<pg.QueryResult> => {
    const statement = text.replace(LEADING_COMMENTS, '');
    if (!CONCURRENTLY.test(statement)) return this.#client.query(text, values);
    await this.#dropInvalid(CREATED.exec(statement)?.[1]);
    await this.#set({ lock_timeout: '0' });
    const result = await this.#client.query(text, values);
    await this.#set({ lock_timeout: LOCK_TIMEOUT });
    return result;
  };

  /** A migration that was killed has left it, and `if not exists` would accept it. */
  async #dropInvalid(indexName: string | undefined): Promise<void> {
    const { rows } = await this.#client.query(`select from pg_index where indexrelid = to_regclass($1) and not indisvalid`, [indexName]);
    if (rows.length > 0) await this.query(`drop index concurrently ${indexName}`);
  }

  async #set(settings: Record<string, string>): Promise<void> {
    await this.#client.query(
      `select set_config(name, value, false) from unnest($1::text[], $2::text[]) s (name, value) where current_setting(name, true) is not null`,
      [Object.keys(settings), Object.values(settings)],
    );
  }
}
