import { connectLimiter } from '@ugc/shared/redis/redis';
import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { ApiEnv } from '../env.ts';
import { tryAgain, type Problem } from '@ugc/items/problems/problem';

/** What is counted. The names are part of Redis keys, of headers and of error messages. */
type RateLimitName = 'writes' | 'lists' | 'suggestions' | 'reads' | 'requests without a valid token';
type Headers = Record<string, string>;
export type RateLimits = {
  /** @returns the headers of the response, none if there is no limit · @throws Problem 429 when that of the current minute is exceeded */
  count(name: RateLimitName, key: string): Promise<Headers>;
  close(): void;
};

const WINDOW_SECONDS = 60;
/** A user sends one for each letter that is typed. */
const SUGGESTIONS_PER_LIST = 10;

/**
 * Counts in Redis, which all API processes share. While Redis is unavailable, each process counts in memory, so that
 * requests neither fail nor wait longer than the command timeout of the limiter's connection.
 */
export function openRateLimits(env: ApiEnv, onRedisError: (error: Error) => void): RateLimits {
  const perMinute: Record<RateLimitName, number> = {
    writes: env.RATE_LIMIT_WRITES_PER_MINUTE,
    lists: env.RATE_LIMIT_LISTS_PER_MINUTE,
    suggestions: SUGGESTIONS_PER_LIST * env.RATE_LIMIT_LISTS_PER_MINUTE,
    reads: env.RATE_LIMIT_READS_PER_MINUTE,
    'requests without a valid token': env.RATE_LIMIT_FAILED_TOKENS_PER_MINUTE,
  };
  const limits = Object.entries(perMinute).filter(([, limit]) => limit > 0);
  if (limits.length === 0) return { count: () => Promise.resolve({}), close: () => undefined };
  const redis = connectLimiter(env, onRedisError);
  const limiters = new Map(limits.map(([name, limit]) => [name, createLimiter(redis, `${env.QUEUE_PREFIX}:limit:${name}`, limit)]));
  return {
    count: async (name, key) => {
      const limiter = limiters.get(name);
      if (!limiter) return {};
      const quota = await limiter.consume(key).catch((error: unknown): never => {
        if (error instanceof RateLimiterRes) throw rateExceeded(perMinute[name], name, secondsLeft(error));
        throw error;
      });
      return quotaHeaders(perMinute[name], name, { remaining: quota.remainingPoints, seconds: secondsLeft(quota) });
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
    // Once a key is over its limit, Redis is not queried for it again until the window ends.
    inMemoryBlockOnConsumed: points,
  });
}

function secondsLeft({ msBeforeNext }: RateLimiterRes): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1_000));
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-11: quota and window of the policy, remaining quota and time of the window. */
function quotaHeaders(limit: number, name: RateLimitName, { remaining, seconds }: { remaining: number; seconds: number }): Headers {
  return { 'RateLimit-Policy': `"${name}";q=${limit};w=${WINDOW_SECONDS}`, RateLimit: `"${name}";r=${remaining};t=${seconds}` };
}

export function rateExceeded(limitPerMinute: number, name: RateLimitName, seconds: number): Problem {
  const detail = `The limit is ${limitPerMinute} ${name} per minute. Try again in ${seconds} s.`;
  return tryAgain(429, 'rate-exceeded', detail, seconds, quotaHeaders(limitPerMinute, name, { remaining: 0, seconds }), {
    limit: limitPerMinute,
    what: name,
    seconds,
  });
}
