import { isLocked } from '../locks/with-lock.ts';
import type { Database } from '../postgres/postgres.ts';

/** Only one process at a time creates, swaps, removes or purges indices. */
export const INDEX_LOCK = 'index';

/** Reads the state of the lock without taking it. */
export function isIndexLocked(database: Database): Promise<boolean> {
  return isLocked(database, INDEX_LOCK);
}

/** Stored in PostgreSQL because BullMQ's own pause would be lost with the data of Redis. */
export async function pauseIndexing(database: Database): Promise<void> {
  await database.query(`update index_control set paused_at = coalesce(paused_at, clock_timestamp())`);
}

export async function resumeIndexing(database: Database): Promise<void> {
  await database.query(`update index_control set paused_at = null`);
}

export async function pausedSince(database: Database): Promise<Date | null> {
  const [row] = await database.query<{ pausedAt: Date | null }>(`select paused_at from index_control`);
  return row?.pausedAt ?? null;
}
