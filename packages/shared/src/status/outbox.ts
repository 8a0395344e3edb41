import type { Pause, RejectedChanges, RejectedItem, Unfinished } from '../contracts/operations-status.ts';
import { pausedSince } from '../indices/index-control.ts';
import { countChanges, readBacklog, type Backlog } from '../outbox/backlog.ts';
import { countDropped, listRejected } from '../outbox/rejected.ts';
import { listLongestIsolated, listOldJobs } from '../outbox/item-states.ts';
import type { Database } from '../postgres/postgres.ts';
import { readJobStates, type QueueSources } from './queue.ts';

const LISTED_MAX = 10;
const REJECTED_MAX = 20;
const REASON_MAX_CHARACTERS = 500;
const OLD_JOB_SECONDS = 30;

/** `isolated`: items whose last jobs all ended without a result; perhaps they crash the indexer. At most LISTED_MAX. */
export type OutboxStatus = Backlog & { dropped: number; isolated: number[]; pausedSince: Date | null };

/** Reads the whole outbox. @throws DatabaseUnavailable */
export async function readOutbox(database: Database): Promise<OutboxStatus> {
  const backlog = await readBacklog(database);
  const isolated = (await listLongestIsolated(database, LISTED_MAX)).map(({ contentId }) => contentId);
  return { ...backlog, dropped: await countDropped(database), isolated, pausedSince: await pausedSince(database) };
}

export async function readPause(database: Database): Promise<Pause> {
  return { pausedSince: (await pausedSince(database))?.toISOString() ?? null };
}

/** One query after the other, so that the page takes one connection from the pool and not three. */
export async function readRejected(database: Database): Promise<RejectedChanges> {
  const rejected = await listRejected(database, REJECTED_MAX);
  const items = rejected.map((item): RejectedItem => ({
    ...item,
    since: item.since.toISOString(),
    reason: item.reason.slice(0, REASON_MAX_CHARACTERS),
  }));
  const isAll = items.length < REJECTED_MAX;
  return { total: isAll ? items.length : await countChanges(database, 'rejected'), dropped: await countDropped(database), items };
}

/** Reads the whole outbox. */
export async function readUnfinished({ database, ...queueSources }: QueueSources & { database: Database }): Promise<Unfinished> {
  const jobs = await listOldJobs(database, OLD_JOB_SECONDS, LISTED_MAX);
  const isolated = await listLongestIsolated(database, LISTED_MAX);
  const states = await readJobStates(
    queueSources,
    jobs.map(({ jobId }) => jobId),
  );
  return {
    jobCount: jobs[0]?.ofJobs ?? 0,
    jobs: jobs.map(({ jobId, items, claimedSeconds }, n) => ({ jobId, items, claimedSeconds, state: states[n] ?? 'unknown' })),
    isolated,
  };
}
