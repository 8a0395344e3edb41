import type { Database, Query, Tx } from '../postgres/postgres.ts';

/** Items that the index had in a newer state than PostgreSQL, since the last complete comparison. */
export type Ahead = { items: number; firstSeenAt: Date | null; lastSeenAt: Date | null };

export async function readAhead(database: Database): Promise<Ahead> {
  const [row] = await database.query<Ahead>(`select items, first_seen_at, last_seen_at from index_ahead`);
  return row ?? { items: 0, firstSeenAt: null, lastSeenAt: null };
}

/** The last statement of its transaction: all transactions that see such items update the same row. */
export async function recordAhead(tx: Tx, items: number): Promise<void> {
  await tx.query(
    `update index_ahead set items = items + $1, first_seen_at = coalesce(first_seen_at, clock_timestamp()), last_seen_at = clock_timestamp()`,
    [items],
  );
}

/** A complete comparison with repair that began at `startedAt` has found every item that was ahead by then. */
export async function forgetAhead({ query }: { query: Query }, startedAt: string): Promise<void> {
  await query(`update index_ahead set items = 0, first_seen_at = null, last_seen_at = null where first_seen_at < $1::timestamptz`, [
    startedAt,
  ]);
}
