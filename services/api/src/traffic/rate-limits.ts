import { connectLimiter } from '@ugc/shared/stores/redis';
import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { ApiEnv } from '../env.ts';
import { Problem } from '../http/problem.ts';

export type Limited = 'writes' | 'lists' | 'reads' | 'requests without a valid token';
export type RateLimits = {
  /** @throws Problem 429 when this key has done that too often within a minute */
  count(limited: Limited, key: string): Promise<void>;
  close(): void;
};

const WINDOW_SECONDS = 60;

/**
 * Counts in Redis, together with the other API processes. While Redis is away or hangs each process counts for itself, so
 * nobody is refused, or kept waiting for longer than the limiter's command timeout, because of it.
 */
export function openRateLimits(env: ApiEnv, onRedisError: (error: Error) => void): RateLimits {
  const perMinute: Record<Limited, number> = {
    writes: env.RATE_LIMIT_WRITES_PER_MINUTE,
    lists: env.RATE_LIMIT_LISTS_PER_MINUTE,
    reads: env.RATE_LIMIT_READS_PER_MINUTE,
    'requests without a valid token': env.RATE_LIMIT_FAILED_TOKENS_PER_MINUTE,
  };
  const limits = Object.entries(perMinute).filter(([, limit]) => limit > 0);
  if (limits.length === 0) return { count: () => Promise.resolve(), close: () => undefined };
  const redis = connectLimiter(env.REDIS_URL, onRedisError);
  const limiters = new Map(
    limits.map(([limited, limit]) => [limited, createLimiter(redis, `${env.QUEUE_PREFIX}:limit:${limited}`, limit)]),
  );
  return {
    count: async (limited, key) => {
      await limiters
        .get(limited)
        ?.consume(key)
        .catch((refused: unknown) => refuse(refused, `${perMinute[limited]} ${limited}`));
    },
    close: () => redis.disconnect(),
  };
}

function createLimiter(redis: Redis, keyPrefix: string, points: number): RateLimiterRedis {
  const window = { keyPrefix, points, duration: WINDOW_SECONDS };
  return new RateLimiterRedis({
    ...window,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    insuranceLimiter: new RateLimiterMemory(window),
    // Who is over the limit is not looked up again until the minute is over.
    inMemoryBlockOnConsumed: points,
  });
}

function refuse(refused: unknown, limit: string): never {
  if (!(refused instanceof RateLimiterRes)) throw refused;
  const seconds = Math.max(1, Math.ceil(refused.msBeforeNext / 1_000));
  throw new Problem(429, `At most ${limit} are taken in a minute. Try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  });
}
