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
  /** Rolls the transaction back after `work`. Aborts the signal when it is lost, or was idle for half a minute. */
  keepTransactionOpen<T>(work: (tx: Tx, lost: AbortSignal) => Promise<T>): Promise<T>;
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

// The rules of this service are made for this level, and a role or database may have another default.
const BEGIN = 'begin isolation level read committed';
// Without a snapshot, an open transaction keeps no old rows. The server ends that of a process that does not respond.
const STAY_OPEN = `select set_config(name, case name when 'transaction_timeout' then '0' else '30s' end, true)
  from pg_settings where name in ('idle_in_transaction_session_timeout', 'transaction_timeout')`;

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
    keepTransactionOpen: (work) => inOpenTransaction(pool, send, work),
    close: () => pool.end(),
  };
}

async function inTransaction<T>(pool: pg.Pool, send: Send, work: (tx: Tx) => Promise<T>): Promise<T> {
  return withClient(pool, async (client) => {
    await send(client, BEGIN);
    try {
      const result = await work(txOf(client, send));
      await send(client, 'commit').catch(throwCommitError);
      return result;
    } catch (error) {
      // The server rolls back when the connection closes.
      if (!(error instanceof DatabaseUnavailable)) await send(client, 'rollback').catch(() => client.end());
      throw error;
    }
  });
}

type OpenWork<T> = (tx: Tx, lost: AbortSignal) => Promise<T>;

async function inOpenTransaction<T>(pool: pg.Pool, send: Send, work: OpenWork<T>): Promise<T> {
  const lost = new AbortController();
  const onLost = (): void => lost.abort(new DatabaseUnavailable('the connection of an open transaction was lost'));
  return withClient(pool, async (client) => {
    await send(client, BEGIN);
    client.once('error', onLost).once('end', onLost);
    try {
      await send(client, STAY_OPEN);
      return await work(txOf(client, send), lost.signal);
    } finally {
      client.off('error', onLost).off('end', onLost);
      await send(client, 'rollback').catch(() => client.end());
    }
  });
}

function txOf(client: pg.PoolClient, send: Send): Tx {
  return { query: (statement, values) => send(client, statement, values) } as Tx;
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
