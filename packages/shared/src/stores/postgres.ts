import pg from 'pg';
import { classifyError, DatabaseUnavailable, throwCommitError } from './postgres-errors.ts';

export type Row = pg.QueryResultRow;
/** A statement with a name is prepared once per connection, so that PostgreSQL parses and plans it only once. */
export type Statement = string | { name: string; text: string };
export type Query = <R extends Row>(statement: Statement, values?: unknown[]) => Promise<R[]>;

declare const transaction: unique symbol;
/** Runs statements in a transaction. The brand ensures that only `Database.transaction` creates one. */
export type Tx = { query: Query; readonly [transaction]: true };

export type Database = {
  query: Query;
  /** Runs one statement that changes data, in a transaction of its own. @throws CommitUnknown */
  write: Query;
  /** Commits the transaction after `work`; rolls it back when `work` throws. @throws CommitUnknown */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Aborts the signal when the connection, and thus the lock, is lost. @returns false if another session holds it */
  withLock(lockKey: number, work: (lockLost: AbortSignal) => Promise<void>): Promise<boolean>;
  close(): Promise<void>;
  readonly pool: pg.Pool;
};

export type PostgresOptions = {
  url: string;
  applicationName: string;
  maxConnections: number;
  statementTimeoutMs: number;
  /** False if a connection pooler gives each transaction another session; default true. */
  prepareStatements?: boolean;
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
    // Client and server detect a lost peer within 30 s, because its session may hold a lock that others wait for.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    options: '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3',
    types: { getTypeParser },
  });
  pool.on('error', options.onIdleError);
  // The pool handles errors of idle connections only; without a listener any other error ends the process.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  const send = options.prepareStatements === false ? sendUnprepared : rows;
  return {
    pool,
    query: (statement, values) => send(pool, statement, values),
    write: (statement, values) => withClient(pool, (client) => send<never>(client, statement, values).catch(throwCommitError)),
    transaction: (work) => inTransaction(pool, send, work),
    withLock: (lockKey, work) => withAdvisoryLock(pool, lockKey, work),
    close: () => pool.end(),
  };
}

async function inTransaction<T>(pool: pg.Pool, send: Send, work: (tx: Tx) => Promise<T>): Promise<T> {
  return withClient(pool, async (client) => {
    await rows(client, 'begin');
    const result = await work({ query: (statement, values) => send(client, statement, values) } as Tx);
    await rows(client, 'commit').catch(throwCommitError);
    return result;
  });
}

async function withAdvisoryLock(pool: pg.Pool, lockKey: number, work: (lockLost: AbortSignal) => Promise<void>): Promise<boolean> {
  const lockLost = new AbortController();
  const onLost = (): void => lockLost.abort(new DatabaseUnavailable('the connection that holds the lock was lost'));
  return withClient(pool, async (client) => {
    const [lock] = await rows<{ acquired: boolean }>(client, 'select pg_try_advisory_lock($1) as acquired', [lockKey]);
    if (!lock?.acquired) return false;
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
    throw classifyError(error);
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

type Send = <R extends Row>(target: pg.Pool | pg.PoolClient, statement: Statement, values?: unknown[]) => Promise<R[]>;

const sendUnprepared: Send = (target, statement, values) =>
  rows(target, typeof statement === 'string' ? statement : statement.text, values);

async function rows<R extends Row>(target: pg.Pool | pg.PoolClient, statement: Statement, values?: unknown[]): Promise<R[]> {
  try {
    // The client adds the values to an object that it is given.
    const result = await target.query<R>(typeof statement === 'string' ? statement : { ...statement }, values);
    return result.rows;
  } catch (error) {
    throw classifyError(error);
  }
}

// All bigint values of the schema are ids and counts below 2^53.
function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === pg.types.builtins.INT8) return Number;
  return pg.types.getTypeParser(oid, format);
}
