import type { IndexQueue } from '@ugc/shared/contracts/index-queue';
import { listLongestIsolated, listOldJobs } from '@ugc/shared/outbox/unfinished';
import type { Database } from '@ugc/shared/stores/postgres';
import { withTimeout } from '@ugc/shared/timing/with-timeout';
import type { Redis } from 'ioredis';
import { readRedisMemory } from './redis-memory.ts';
import type { JobState, QueueStatus, Unfinished } from '@ugc/shared/contracts/operations-status';

type QueueSources = { database: Database; redis: Redis; queue: IndexQueue };

const OLD_JOB_SECONDS = 30;
const LISTED_MAX = 10;
/** The jobs are listed also while Redis does not respond. */
const STATES_TIMEOUT_MS = 500;

export async function readQueue({ redis, queue }: QueueSources): Promise<QueueStatus> {
  assertReady(redis);
  const [{ wait = 0, active = 0 }, paused] = await Promise.all([queue.getJobCounts('wait', 'active'), queue.isPaused()]);
  return { waiting: wait, active, paused, indexers: await countIndexers(queue), memory: await readMemory(redis) };
}

/** While Redis is down, BullMQ does not fail but waits for the connection. @throws Error */
function assertReady({ status }: Redis): void {
  if (status !== 'ready') throw new Error(`the connection to Redis is ${status}`);
}

/** Managed Redis services often forbid CLIENT LIST; BullMQ then returns one worker without an address, or fails. */
async function countIndexers(queue: IndexQueue): Promise<number | null> {
  try {
    const workers = await queue.getWorkers();
    return workers.some(({ addr }) => addr === undefined) ? null : workers.length;
  } catch {
    return null;
  }
}

async function readMemory(redis: Redis): Promise<QueueStatus['memory']> {
  const memory = await readRedisMemory(redis);
  return memory ? { usedBytes: memory.usedBytes, limitBytes: memory.limitBytes } : null;
}

export async function readUnfinished({ database, redis, queue }: QueueSources): Promise<Unfinished> {
  const jobs = await listOldJobs(database, OLD_JOB_SECONDS, LISTED_MAX);
  const isolated = await listLongestIsolated(database, LISTED_MAX);
  const reading = Promise.all(jobs.map(({ jobId }) => readJobState({ redis, queue }, jobId)));
  const states = (await withTimeout(STATES_TIMEOUT_MS, reading)) ?? [];
  return {
    jobCount: jobs[0]?.ofJobs ?? 0,
    jobs: jobs.map(({ jobId, items, claimedSeconds }, n) => ({ jobId, items, claimedSeconds, state: states[n] ?? 'unknown' })),
    isolated,
  };
}

async function readJobState({ redis, queue }: Omit<QueueSources, 'database'>, jobId: string): Promise<JobState> {
  if (redis.status !== 'ready') return 'unknown';
  const state = await queue.getJobState(jobId);
  return state === 'waiting' || state === 'active' ? state : 'missing';
}
