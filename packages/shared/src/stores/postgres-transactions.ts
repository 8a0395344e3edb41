import type pg from 'pg';
import { DatabaseUnavailable, throwCommitError } from './postgres-errors.ts';
import type { Send } from './postgres-send.ts';
import type { Sessions } from './postgres-session.ts';
import type { Query, Row, Statement, Tx } from './statement.ts';

export type Connections = { send: Send; sessions: Sessions };

/** The outcome of a commit without a response is unknown. */
export async function inTransaction<T>({ send, sessions }: Connections, client: pg.PoolClient, work: (tx: Tx) => Promise<T>): Promise<T> {
  await send(client, sessions.begin(client));
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
  { statement, values }: { statement: Statement; values?: unknown[] },
): Promise<R[]> {
  if (connections.sessions.isOwn(client)) return connections.send<R>(client, statement, values);
  return inTransaction(connections, client, (tx) => tx.query<R>(statement, values));
}

function txOf(send: Send, client: pg.PoolClient): Tx {
  const query: Query = (statement, values) => send(client, statement, values);
  return { query } as Tx;
}
