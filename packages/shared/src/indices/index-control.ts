import { isLocked } from '../postgres/locks.ts';
import type { Database } from '../postgres/postgres.ts';
import { describeDatabase, type DatabaseIdentity } from '../contracts/database-identity.ts';

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

/** The last job of another database that an indexer of this one has found in the queue. */
type ForeignJob = { database: string; at: Date };

const RECENT = `interval '1 minute'`;

export async function noteForeignJob(database: Database, of: DatabaseIdentity): Promise<void> {
  await database.query(`update index_control set foreign_job_database = $1, foreign_job_at = clock_timestamp()`, [JSON.stringify(of)]);
}

/** @returns undefined if none was found within the last minute */
export async function readForeignJob(database: Database): Promise<ForeignJob | undefined> {
  const [row] = await database.query<{ of: DatabaseIdentity; at: Date }>(
    `select foreign_job_database as of, foreign_job_at as at from index_control
     where foreign_job_at between clock_timestamp() - ${RECENT} and clock_timestamp() + ${RECENT}`,
  );
  return row && { database: describeDatabase(row.of), at: row.at };
}
