import pg from 'pg';
import { DatabaseUnavailable, throwConnectError, repeated } from './errors.ts';
import { sender, getTypeParser, textOf, type Query, type Row, type Statement, type Tx } from './statements.ts';
import { asStandbyGone, Standby } from './standby.ts';
import { LastChange } from './storing.ts';
import { Sessions, inTransaction, runOne, type Connections } from './sessions.ts';
import { storeTimeout } from '../timing/timeouts.ts';
import { sslFilesProblem, withoutFiles, withPasswordOfFile } from '../config/postgres-address.ts';

export type { Query, Row, Statement, Tx };

/** `isClaim`: it changes queues only, so that its success does not show that changes of items are stored. */
type TransactionOptions = { isClaim?: boolean };

export type Database = {
  query: Query;
  /** Runs one statement that changes data, in a transaction of its own. @throws CommitUnknown */
  write: Query;
  /** Commits the transaction after `work`; rolls it back when `work` throws. @throws CommitUnknown */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  close(): Promise<void>;
  readonly pool: pg.Pool;
  /** Of `write` and `transaction`. */
  readonly lastChange: LastChange;
  /** While it is gone, no change begins. */
  readonly standby: Standby;
};

export type PostgresOptions = {
  url: string;
  applicationName: string;
  maxConnections: number;
  statementTimeoutMs: number;
  /** Limit of the wait for a connection; default 10 s. */
  connectTimeoutMs?: number;
  onIdleError: (error: Error) => void;
};

/** Requests and jobs fail early. Commands wait while a busy server is slow to accept connections. */
export const SERVICE_CONNECT_TIMEOUT_MS = 800;
const CONNECT_TIMEOUT_MS = 10_000;

/** Only startup parameters that every connection pooler accepts are sent. */
export function connectPostgres(options: PostgresOptions): Database {
  const statementTimeoutMs = storeTimeout(options.statementTimeoutMs);
  const connectTimeoutMs = storeTimeout(options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS);
  const sessions = new Sessions(statementTimeoutMs);
  const isPrepared = (client: pg.ClientBase): boolean => sessions.isOwn(client);
  const sendAtConnect = sender({ statementTimeoutMs: connectTimeoutMs, isPrepared });
  const pool = new pg.Pool({
    connectionString: options.url,
    Client: clientWithFiles(options.url),
    application_name: options.applicationName,
    max: options.maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser },
    verify: (client, done) => void sessions.prepare(client, sendAtConnect).then(() => done(), done),
  });
  pool.on('error', options.onIdleError);
  // The pool handles errors of idle connections only; without a listener any other error ends the process.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  const send = sender({ statementTimeoutMs, isPrepared });
  return { pool, close: () => pool.end(), ...operationsOf(pool, { send, sessions }) };
}

function operationsOf(pool: pg.Pool, connections: Connections): Omit<Database, 'pool' | 'close'> {
  const lastChange = new LastChange();
  const single =
    (isWrite: boolean): Query =>
    (statement, values) =>
      repeated((isRepeated) => {
        const one = { statement: isRepeated ? textOf(statement) : statement, values, isWrite };
        return withClient(pool, (client) => runOne(connections, client, one));
      });
  const [query, write] = [single(false), single(true)];
  const standby = new Standby(query);
  const read = <R extends Row>(statement: Statement, values?: unknown[]): Promise<R[]> => {
    const one = (tx: Tx) => tx.query<R>(textOf(statement), values);
    return withClient(pool, (client) => inTransaction(connections, client, one, { isReadOnly: true })).catch((error: unknown) => {
      throw asStandbyGone(error);
    });
  };
  return {
    lastChange,
    standby,
    // A statement that changes something may be among them.
    query: async (statement, values) => ((await standby.isGone()) ? read(statement, values) : standby.watch(query(statement, values))),
    write: (statement, values) => lastChange.watch(standby.guard(() => write<never>(statement, values))),
    transaction: (work, { isClaim = false } = {}) => {
      const done = standby.guard(() => withClient(pool, (client) => inTransaction(connections, client, work)));
      return isClaim ? done : lastChange.watch(done);
    },
  };
}

/**
 * The pool reports a wait for a connection that was too long, and delivers the connection nevertheless if it is ready
 * later. The promise of `pool.connect` would lose it: node-postgres issue 3543.
 */
function checkOut(pool: pg.Pool): Promise<pg.PoolClient> {
  return new Promise((resolve, reject) => {
    let hasGivenUp = false;
    pool.connect((error, client) => {
      if (client === undefined) reject(error ?? new Error('no connection'));
      else if (hasGivenUp) client.release();
      else resolve(client);
      hasGivenUp = true;
    });
  });
}

async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await checkOut(pool).catch(throwConnectError);
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (error) {
    client.release(error instanceof DatabaseUnavailable ? error : undefined);
    throw error;
  }
}

/**
 * A class of clients that read the files of certificates and of the password for each connection. The client's own
 * constructor throws if one is missing, as while it is renewed. An error in the constructor ends the process when a
 * request waits for a connection.
 */
export function clientWithFiles(url: string): typeof pg.Client {
  return class extends pg.Client {
    readonly #problem: string | undefined;

    constructor(config: pg.ClientConfig) {
      const problem = sslFilesProblem(url);
      const present = withPasswordOfFile(url, process.env);
      super({ ...config, connectionString: problem === undefined ? present : withoutFiles(present) });
      this.#problem = problem;
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | void {
      if (this.#problem === undefined) return callback ? super.connect(callback) : super.connect();
      const error = new Error(`DATABASE_URL: ${this.#problem}`);
      if (!callback) return Promise.reject(error);
      process.nextTick(callback, error);
    }
  };
}
