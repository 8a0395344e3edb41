import { openIndexQueue, type IndexQueue } from '@ugc/shared/contracts/index-queue';
import type { Part } from '@ugc/shared/contracts/operations-status';
import type { storeEnv } from '@ugc/shared/process/env';
import { connectProducer } from '@ugc/shared/stores/redis';
import { findRedisProblems } from '@ugc/shared/stores/redis-check';
import { describeRedisFailure } from '@ugc/shared/stores/redis-unavailable';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';

const REDIS_TIMEOUT_MS = 2_000;

type QueueEnv = Pick<z.infer<typeof storeEnv>, 'REDIS_URL' | 'QUEUE_PREFIX'>;

/** Connects to the queue for the time of `work`. @returns a sentence without a full stop if Redis prevents it */
export async function withQueue<T>({ REDIS_URL, QUEUE_PREFIX }: QueueEnv, work: (queue: IndexQueue) => Promise<T>): Promise<Part<T>> {
  let lastError: Error | undefined;
  const redis = connectProducer(REDIS_URL, (error) => (lastError = error));
  const queue = openIndexQueue(redis, QUEUE_PREFIX, () => undefined);
  const run = async (): Promise<Part<T>> => {
    await queue.waitUntilReady();
    const problems = await findRedisProblems(redis, QUEUE_PREFIX);
    return problems.length > 0 ? { problem: problems.join(' ') } : { value: await work(queue) };
  };
  try {
    return await Promise.race([run(), delay(REDIS_TIMEOUT_MS).then(() => ({ problem: describeRedisFailure(REDIS_URL, lastError) }))]);
  } catch (error) {
    return { problem: describeRedisFailure(REDIS_URL, lastError ?? (error as Error)) };
  } finally {
    redis.disconnect();
  }
}
