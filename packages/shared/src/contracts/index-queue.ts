import { Queue, type JobsOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import { DatabaseIdentity } from './database-identity.ts';
import { z } from 'zod';

export const INDEX_QUEUE = 'index-content';

/** Contains ids and no documents: the worker writes the state of the items when the job runs. `database`: whose items they are. */
export const IndexJob = z.object({
  contentIds: z.array(z.int().positive()).min(1),
  database: DatabaseIdentity,
});
export type IndexJob = z.infer<typeof IndexJob>;

/** The maximum number of ids in a job. In jobs of 100, each item takes 1.4 times as long. */
export const IDS_PER_JOB = 500;

// Retries are the outbox's task. BullMQ silently ignores a new job with the id of a job that it keeps.
const INDEX_JOB_OPTIONS: JobsOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true };

export type IndexQueue = Queue<IndexJob, void, typeof INDEX_QUEUE>;

/** @returns how many jobs wait, and how many that these overtake */
export async function countWaiting(queue: Pick<IndexQueue, 'getJobCounts'>): Promise<[waiting: number, overtaken: number]> {
  const { wait = 0, prioritized = 0 } = await queue.getJobCounts('wait', 'prioritized');
  return [wait, prioritized];
}

export function openIndexQueue(redis: Redis, prefix: string, onError: (error: Error) => void): IndexQueue {
  const queue: IndexQueue = new Queue(INDEX_QUEUE, {
    connection: redis,
    prefix,
    defaultJobOptions: INDEX_JOB_OPTIONS,
    // BullMQ reads the version of Redis once and keeps the result: if that times out, every later call fails.
    skipVersionCheck: true,
  });
  queue.on('error', onError);
  return queue;
}
