import { Redis } from 'ioredis';
import type { ApiAlone } from './api-alone.ts';
import { until } from './until.ts';

/** Until it is connected to Redis, a process counts rates for itself; this asks for lists as the user until they are counted there. */
export async function untilCountedInRedis({ env, client }: ApiAlone, userId: number): Promise<void> {
  const redis = new Redis(env['REDIS_URL'] ?? '');
  await until('rates are counted in Redis', async () => {
    await client.get('/api/content', userId);
    return (await redis.exists(`${env['QUEUE_PREFIX']}:limit:lists:${userId}`)) === 1;
  });
  redis.disconnect();
}
