import { CLAIMED, CLAIMS_BEFORE_ISOLATION, NOT_REJECTED } from './states.ts';
import type { Database } from '../stores/postgres.ts';

/** An item whose own jobs ended without an acknowledgement, so that it perhaps crashes the indexers. */
export type IsolatedItem = { contentId: number; claims: number; pendingSeconds: number };

/** Reads the whole table. @returns the items that have been pending for longest */
export function listLongestIsolated(database: Database, limit: number): Promise<IsolatedItem[]> {
  return database.query<IsolatedItem>(
    `/* outbox: list longest isolated */
     select content_id, claims, greatest(0, extract(epoch from clock_timestamp() - pending_since))::float8 as pending_seconds
     from index_outbox where claims > $1 and ${NOT_REJECTED} order by pending_since limit $2`,
    [CLAIMS_BEFORE_ISOLATION, limit],
  );
}

/** `ofJobs`: the number of all jobs that are as old, of which this is one. */
export type OldJob = { jobId: string; items: number; claimedSeconds: number; ofJobs: number };

/** @returns the jobs without an acknowledgement that are older than `olderThanSeconds`, the oldest first */
export function listOldJobs(database: Database, olderThanSeconds: number, limit: number): Promise<OldJob[]> {
  return database.query<OldJob>(
    `/* outbox: list old jobs */
     select job_id, count(*) as items, count(*) over () as of_jobs,
       extract(epoch from clock_timestamp() - min(claimed_at))::float8 as claimed_seconds
     from index_outbox where ${CLAIMED} group by job_id
     having min(claimed_at) < clock_timestamp() - $1 * interval '1 second'
     order by min(claimed_at) limit $2`,
    [olderThanSeconds, limit],
  );
}
