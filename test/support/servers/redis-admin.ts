import { Redis } from 'ioredis';

/** Runs commands on a separate connection to Redis. */
export async function withRedis<T>(url: string | undefined, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url ?? '');
  redis.on('error', () => undefined);
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}
