import { openIndexQueue, type IndexQueue } from '@ugc/shared/contracts/index-queue';
import type { Part } from '@ugc/shared/contracts/operations-status';
import type { storeEnv } from '@ugc/shared/config/env';
import { connectProducer } from '@ugc/shared/redis/redis';
import type { RedisAddress } from '@ugc/shared/config/redis-address';
import { findRedisProblems } from '@ugc/shared/redis/check';
import { describeRedisFailure } from '@ugc/shared/failures/describe';
import { storeTimeout } from '@ugc/shared/timing/timeouts';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';

const REDIS_TIMEOUT_MS = storeTimeout(2_000);

type QueueEnv = RedisAddress & Pick<z.infer<typeof storeEnv>, 'QUEUE_PREFIX'>;

/** Connects to the queue for the time of `work`. @returns a sentence without a full stop if Redis prevents it */
export async function withQueue<T>(env: QueueEnv, work: (queue: IndexQueue) => Promise<T>): Promise<Part<T>> {
  const { QUEUE_PREFIX } = env;
  let lastError: Error | undefined;
  const redis = connectProducer(env, (error) => (lastError = error));
  const queue = openIndexQueue(redis, QUEUE_PREFIX, () => undefined);
  const run = async (): Promise<Part<T>> => {
    await queue.waitUntilReady();
    const problems = await findRedisProblems(redis, QUEUE_PREFIX);
    return problems.length > 0 ? { problem: problems.join(' ') } : { value: await work(queue) };
  };
  try {
    return await Promise.race([run(), delay(REDIS_TIMEOUT_MS).then(() => ({ problem: describeRedisFailure(env, lastError) }))]);
  } catch (error) {
    return { problem: describeRedisFailure(env, lastError ?? (error as Error)) };
  } finally {
    redis.disconnect();
  }
}
