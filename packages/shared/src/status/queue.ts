import type { Redis } from 'ioredis';
import type { IndexQueue } from '../contracts/index-queue.ts';
import type { JobState, QueueStatus } from '../contracts/operations-status.ts';
import { readRedisMemory } from '../redis/check.ts';
import { withTimeout } from '../timing/timeouts.ts';

export type QueueSources = { redis: Redis; queue: IndexQueue };
export type JobCounts = Pick<QueueStatus, 'waiting' | 'active' | 'paused'>;

/** The jobs are listed also while Redis does not respond. */
const STATES_TIMEOUT_MS = 500;

/** @throws Error if Redis refuses it; waits while there is no connection */
export async function countJobs(queue: IndexQueue): Promise<JobCounts> {
  const counting = queue.getJobCounts('wait', 'prioritized', 'active');
  const [{ wait = 0, prioritized = 0, active = 0 }, paused] = await Promise.all([counting, queue.isPaused()]);
  return { waiting: wait + prioritized, active, paused };
}

/** @throws Error also if there is no connection to Redis */
export async function readQueue({ redis, queue }: QueueSources): Promise<QueueStatus> {
  // While Redis is down, BullMQ does not fail but waits for the connection.
  if (redis.status !== 'ready') throw new Error(`the connection to Redis is ${redis.status}`);
  return { ...(await countJobs(queue)), indexers: await countIndexers(queue), memory: await readMemory(redis) };
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

/** @returns the states in the order of `jobIds`; all are `unknown` if Redis does not respond within STATES_TIMEOUT_MS */
export async function readJobStates(sources: QueueSources, jobIds: string[]): Promise<JobState[]> {
  const reading = Promise.all(jobIds.map((jobId) => readJobState(sources, jobId)));
  return (await withTimeout(STATES_TIMEOUT_MS, reading)) ?? jobIds.map(() => 'unknown');
}

async function readJobState({ redis, queue }: QueueSources, jobId: string): Promise<JobState> {
  if (redis.status !== 'ready') return 'unknown';
  const state = await queue.getJobState(jobId);
  if (state === 'prioritized') return 'waiting';
  return state === 'waiting' || state === 'active' ? state : 'missing';
}
