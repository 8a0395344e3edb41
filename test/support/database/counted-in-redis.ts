import { Redis } from 'ioredis';
import type { ApiAlone } from '../processes/api-alone.ts';
import { until } from '../jest/until.ts';

/**
 * Requests lists until they are counted in Redis: before it is connected to Redis, a process counts rates in its
 * memory.
 */
export async function untilCountedInRedis({ env, client }: ApiAlone, userId: number): Promise<void> {
  const redis = new Redis(env['REDIS_URL'] ?? '');
  await until('rates are counted in Redis', async () => {
    await client.get('/api/content', userId);
    return (await redis.exists(`${env['QUEUE_PREFIX']}:limit:lists:${userId}`)) === 1;
  });
  redis.disconnect();
}
