import type { Database } from '@ugc/shared/stores/postgres';

/**
 * An operator's brake: while indexing is paused the relay hands nothing out, and workers give back what they have. It is kept in
 * PostgreSQL, since BullMQ's own would be lost with Redis. Uploads go on; they wait in the outbox.
 */
export async function pauseIndexing(database: Database): Promise<void> {
  await database.query(`update index_control set paused_at = coalesce(paused_at, clock_timestamp())`);
}

export async function resumeIndexing(database: Database): Promise<void> {
  await database.query(`update index_control set paused_at = null`);
}

/** @returns since when indexing is paused, null when it is not */
export async function pausedSince(database: Database): Promise<Date | null> {
  const [row] = await database.query<{ paused_at: Date | null }>(`select paused_at from index_control`);
  return row?.paused_at ?? null;
}
