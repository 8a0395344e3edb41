import { Queue, type JobsOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import { z } from 'zod';

/** The contract between the relay that adds index jobs and the worker that runs them. */
export const INDEX_QUEUE = 'index-content';

/** Ids, never documents: what is written is what is true when the job runs. */
export const IndexJob = z.object({ contentIds: z.array(z.int().positive()).min(1) });
export type IndexJob = z.infer<typeof IndexJob>;

/** At most this many ids travel in one job; a job's rows are in the worker's memory at once. */
export const IDS_PER_JOB = 100;

// The outbox owns every retry and every failure. A retained job would make BullMQ ignore its id silently.
export const INDEX_JOB_OPTIONS: JobsOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true };

export type IndexQueue = Queue<IndexJob, void, typeof INDEX_QUEUE>;

export function openIndexQueue(redis: Redis, prefix: string, onError: (error: Error) => void): IndexQueue {
  const queue: IndexQueue = new Queue(INDEX_QUEUE, {
    connection: redis,
    prefix,
    defaultJobOptions: INDEX_JOB_OPTIONS,
    // BullMQ asks for the version once and keeps the answer: one that comes too late would fail every later call.
    skipVersionCheck: true,
  });
  queue.on('error', onError);
  return queue;
}
