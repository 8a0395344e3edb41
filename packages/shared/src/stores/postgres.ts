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

/** The server ends a statement after its timeout; without a response after this time, it is unreachable. */
const RESPONSE_MARGIN_MS = 200;

export function connectPostgres(options: PostgresOptions): Database {
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.maxConnections,
    connectionTimeoutMillis: 800,
    statement_timeout: options.statementTimeoutMs,
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
  const send = sender(options);
  return {
    pool,
    query: (statement, values) => withClient(pool, (client) => send(client, statement, values)),
    write: (statement, values) => withClient(pool, (client) => send<never>(client, statement, values).catch(throwCommitError)),
    transaction: (work) => inTransaction(pool, send, work),
    withLock: (lockKey, work) => withAdvisoryLock(pool, send, lockKey, work),
    close: () => pool.end(),
  };
}

async function inTransaction<T>(pool: pg.Pool, send: Send, work: (tx: Tx) => Promise<T>): Promise<T> {
  return withClient(pool, async (client) => {
    await send(client, 'begin');
    try {
      const result = await work({ query: (statement, values) => send(client, statement, values) } as Tx);
      await send(client, 'commit').catch(throwCommitError);
      return result;
    } catch (error) {
      // The server rolls back when the connection closes.
      if (!(error instanceof DatabaseUnavailable)) await send(client, 'rollback').catch(() => client.end());
      throw error;
    }
  });
}

async function withAdvisoryLock(
  pool: pg.Pool,
  send: Send,
  lockKey: number,
  work: (lockLost: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const lockLost = new AbortController();
  const onLost = (): void => lockLost.abort(new DatabaseUnavailable('the connection that holds the lock was lost'));
  return withClient(pool, async (client) => {
    const [lock] = await send<{ acquired: boolean }>(client, 'select pg_try_advisory_lock($1) as acquired', [lockKey]);
    if (!lock?.acquired) return false;
    client.once('error', onLost).once('end', onLost);
    try {
      await work(lockLost.signal);
      return true;
    } finally {
      client.off('error', onLost).off('end', onLost);
      await send(client, 'select pg_advisory_unlock($1)', [lockKey]);
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
    client.release(error instanceof DatabaseUnavailable ? error : undefined);
    throw error;
  }
}

type Send = <R extends Row>(client: pg.PoolClient, statement: Statement, values?: unknown[]) => Promise<R[]>;

/**
 * Sends statements, and closes the connection if there is no response in time. The client's own `query_timeout` and its
 * promises keep each statement and its rows in memory until the next collection of the complete heap, because V8
 * allocates a function that is assigned to a property in its old generation.
 */
function sender({ statementTimeoutMs, prepareStatements = true }: PostgresOptions): Send {
  return <R extends Row>(client: pg.PoolClient, statement: Statement, values: unknown[] = []) =>
    new Promise<R[]>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new DatabaseUnavailable('PostgreSQL did not respond in time'));
        void client.end();
      }, statementTimeoutMs + RESPONSE_MARGIN_MS);
      client.query<R>({ ...toQuery(statement, prepareStatements), values }, (error: Error | null, result) => {
        clearTimeout(timer);
        if (error) reject(classifyError(error));
        else resolve(result.rows);
      });
    });
}

function toQuery(statement: Statement, prepareStatements: boolean): { name?: string; text: string } {
  if (typeof statement === 'string') return { text: statement };
  return prepareStatements ? statement : { text: statement.text };
}

// All bigint values of the schema are ids and counts below 2^53.
function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === pg.types.builtins.INT8) return Number;
  return pg.types.getTypeParser(oid, format);
}
