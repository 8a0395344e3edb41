import pg from 'pg';

/** PostgreSQL could not be reached, did not answer in time, or refuses work as a whole. The statement is not at fault. */
export class DatabaseUnavailable extends Error {
  override readonly name: string = 'DatabaseUnavailable';
}

/** The connection broke while the transaction was committed: it is not known whether it was. */
export class CommitUnknown extends DatabaseUnavailable {}

/** Whether the error concerns every request. An unanswered commit concerns its own: the others have stored nothing. */
export function isDatabaseOutage(error: unknown): error is DatabaseUnavailable {
  return error instanceof DatabaseUnavailable && !(error instanceof CommitUnknown);
}

export type Row = pg.QueryResultRow;
export type Query = <R extends Row>(text: string, values?: unknown[]) => Promise<R[]>;

declare const transaction: unique symbol;
/** Runs statements inside one transaction. Only `Database.transaction` makes one. */
export type Tx = { query: Query; readonly [transaction]: true };

export type Database = {
  query: Query;
  /** One statement that changes something: a transaction in one round trip. */
  write: Query;
  /** Commits what `work` did, or rolls all of it back when it throws. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Holds a session-level advisory lock during `work`. The signal is aborted when the lock is lost with its connection.
   * @returns false, without working, when somebody else holds the lock
   */
  withLock(lockKey: number, work: (lockLost: AbortSignal) => Promise<void>): Promise<boolean>;
  close(): Promise<void>;
  readonly pool: pg.Pool;
};

export type PostgresOptions = {
  url: string;
  applicationName: string;
  maxConnections: number;
  statementTimeoutMs: number;
  /** Called for a connection that breaks while idle: the pool replaces it. */
  onIdleError: (error: Error) => void;
};

export function connectPostgres(options: PostgresOptions): Database {
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.maxConnections,
    connectionTimeoutMillis: 800,
    statement_timeout: options.statementTimeoutMs,
    query_timeout: options.statementTimeoutMs + 200,
    idle_in_transaction_session_timeout: 10_000,
    // A host that vanished is noticed within half a minute, here and there: a session may hold the lock that others wait for.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    options: '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3',
    types: { getTypeParser },
  });
  pool.on('error', options.onIdleError);
  // The pool listens while a connection is idle. Between that and its user there are moments, and in use nobody else listens.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return {
    pool,
    query: (text, values) => rows(pool, text, values),
    write: (text, values) => withClient(pool, (client) => rows<never>(client, text, values).catch(asCommitUnknown)),
    transaction: (work) => inTransaction(pool, work),
    withLock: (lockKey, work) => withAdvisoryLock(pool, lockKey, work),
    close: () => pool.end(),
  };
}

async function inTransaction<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  return withClient(pool, async (client) => {
    await rows(client, 'begin');
    const result = await work({ query: (text, values) => rows(client, text, values) } as Tx);
    await rows(client, 'commit').catch(asCommitUnknown);
    return result;
  });
}

// A server that is stopped (57P…) may have committed before; any other answer means that it has not.
function asCommitUnknown(error: unknown): never {
  if (!(error instanceof DatabaseUnavailable)) throw error;
  if (error.cause instanceof pg.DatabaseError && !error.cause.code?.startsWith('57P')) throw error;
  throw new CommitUnknown('the commit was not answered', { cause: error });
}

async function withAdvisoryLock(pool: pg.Pool, lockKey: number, work: (lockLost: AbortSignal) => Promise<void>): Promise<boolean> {
  const lockLost = new AbortController();
  const onLost = (): void => lockLost.abort(new DatabaseUnavailable('the connection that holds the lock broke'));
  return withClient(pool, async (client) => {
    const [lock] = await rows<{ taken: boolean }>(client, 'select pg_try_advisory_lock($1) as taken', [lockKey]);
    if (!lock?.taken) return false;
    client.once('error', onLost).once('end', onLost);
    try {
      await work(lockLost.signal);
      return true;
    } finally {
      client.off('error', onLost).off('end', onLost);
      await rows(client, 'select pg_advisory_unlock($1)', [lockKey]);
    }
  });
}

async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw classified(error);
  });
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (error) {
    if (error instanceof DatabaseUnavailable) client.release(error);
    else await rollBack(client);
    throw error;
  }
}

async function rollBack(client: pg.PoolClient): Promise<void> {
  try {
    await client.query('rollback');
    client.release();
  } catch (error) {
    client.release(error as Error);
  }
}

async function rows<R extends Row>(on: pg.Pool | pg.PoolClient, text: string, values?: unknown[]): Promise<R[]> {
  try {
    const result = await on.query<R>(text, values);
    return result.rows;
  } catch (error) {
    throw classified(error);
  }
}

// Classes of SQLSTATE that speak of the server, not of the statement: connection, rollback (deadlock), resources, operator, system.
const UNAVAILABLE_CLASSES = new Set(['08', '40', '53', '57', '58']);
const READ_ONLY = '25006';

function classified(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return new DatabaseUnavailable('PostgreSQL does not answer', { cause: error });
  const code = error.code ?? '';
  if (!UNAVAILABLE_CLASSES.has(code.slice(0, 2)) && code !== READ_ONLY) return error;
  return new DatabaseUnavailable(`PostgreSQL refuses work (${code})`, { cause: error });
}

// Counts and ids stay below 2^53 here, so a bigint is a number.
function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === pg.types.builtins.INT8) return Number;
  return pg.types.getTypeParser(oid, format);
}
