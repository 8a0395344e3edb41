import type pg from 'pg';
import type { Send, Query, Row, Statement, Tx } from './statements.ts';
import { storeTimeout } from '../timing/timeouts.ts';
import { DatabaseUnavailable, throwCommitError } from './errors.ts';

type Settings = Record<string, string>;

/** What the statements rely on, whatever the server, the database or the role have set. */
function statementSettings(statementTimeoutMs: number): Settings {
  return {
    statement_timeout: String(statementTimeoutMs),
    lock_timeout: '0',
    transaction_timeout: '0',
    idle_in_transaction_session_timeout: String(storeTimeout(10_000)),
    DateStyle: 'ISO',
    TimeZone: 'UTC',
    extra_float_digits: '1',
    standard_conforming_strings: 'on',
  };
}

/** The server detects a lost client within 30 s, because its session may hold a lock that others wait for. */
const SESSION_SETTINGS = {
  default_transaction_isolation: 'read committed',
  idle_session_timeout: '0',
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
};

const isKnown = `current_setting(s.name, true) is not null`;
const rowsOf = (settings: Settings): string =>
  Object.entries(settings)
    .map(([name, value]) => `('${name}', '${value}')`)
    .join(', ');

/** Older servers do not know all of these settings. */
const setLocal = (settings: Settings): string =>
  `select set_config(s.name, s.value, true) from (values ${rowsOf(settings)}) as s (name, value) where ${isKnown}`;

// The rules of this service are made for this level.
const BEGIN = 'begin isolation level read committed';

/**
 * Behind a connection pooler, each transaction may have another session: what a session keeps is lost, or found by
 * another client. Such a connection has another process ID than the session that answers. There, every statement runs
 * in a transaction that begins with its settings.
 */
export class Sessions {
  readonly #settings: Settings;
  readonly #own = new WeakSet<object>();

  constructor(statementTimeoutMs: number) {
    this.#settings = statementSettings(statementTimeoutMs);
  }

  /** Whether the connection always has the same session, and nobody else has it. */
  isOwn(client: pg.ClientBase): boolean {
    return this.#own.has(client);
  }

  /** Settings stay in a session that belongs to this connection, and only there. */
  async prepare(client: pg.PoolClient, send: Send): Promise<void> {
    const { processID = 0 } = client as { processID?: number | null };
    const settings = { ...this.#settings, ...SESSION_SETTINGS };
    const [session] = await send<{ own: boolean }>(
      client,
      `select pg_backend_pid() = $1::integer as own, set_config(s.name, s.value, pg_backend_pid() <> $1::integer)
       from (values ${rowsOf(settings)}) as s (name, value) where ${isKnown}`,
      [processID ?? 0],
    );
    if (session?.own) this.#own.add(client);
  }

  /** The statements that begin a transaction, in one round trip. */
  begin(client: pg.ClientBase, { isReadOnly = false } = {}): string {
    const begin = isReadOnly ? `${BEGIN} read only` : BEGIN;
    return this.isOwn(client) ? begin : `${begin}; ${setLocal(this.#settings)}`;
  }
}

export type Connections = { send: Send; sessions: Sessions };

/** The outcome of a commit without a response is unknown. */
export async function inTransaction<T>(
  { send, sessions }: Connections,
  client: pg.PoolClient,
  work: (tx: Tx) => Promise<T>,
  options?: { isReadOnly: boolean },
): Promise<T> {
  await send(client, sessions.begin(client, options));
  try {
    const result = await work(txOf(send, client));
    await send(client, 'commit').catch(throwCommitError);
    return result;
  } catch (error) {
    // The server rolls back when the connection closes.
    if (!(error instanceof DatabaseUnavailable)) await send(client, 'rollback').catch(() => client.end());
    throw error;
  }
}

/** Behind a connection pooler, the statement runs in a transaction, because only that has its settings. */
export async function runOne<R extends Row>(
  connections: Connections,
  client: pg.PoolClient,
  { statement, values, isWrite }: { statement: Statement; values?: unknown[]; isWrite: boolean },
): Promise<R[]> {
  if (!connections.sessions.isOwn(client)) return inTransaction(connections, client, (tx) => tx.query<R>(statement, values));
  const rows = connections.send<R>(client, statement, values);
  return isWrite ? rows.catch(throwCommitError) : rows;
}

function txOf(send: Send, client: pg.PoolClient): Tx {
  const query: Query = (statement, values) => send(client, statement, values);
  return { query } as Tx;
}
