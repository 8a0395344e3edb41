import type { Redis } from 'ioredis';
import type { Log } from '../process/log.ts';

const NO_EVICTION = 'noeviction';
const UNKNOWN = 'unknown';

export type RedisMemory = { usedBytes: number; limitBytes: number | null; policy: string | undefined };

/** @returns undefined if Redis refuses INFO, as it does for most restricted users @throws Error if it does not respond */
export async function readRedisMemory(redis: Redis): Promise<RedisMemory | undefined> {
  const info = await redis.info('memory').catch((error: unknown) => {
    if (error instanceof Error && /^(NOPERM|ERR unknown command)/.test(error.message)) return undefined;
    throw error;
  });
  return info === undefined ? undefined : parseMemory(info);
}

function parseMemory(info: string): RedisMemory {
  const bytes = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const policy = /^maxmemory_policy:([\w-]+)/m.exec(info)?.[1];
  return { usedBytes: bytes('used_memory'), limitBytes: bytes('maxmemory') || null, policy };
}

/** With an eviction policy, a full Redis deletes index jobs silently. Their changes are claimed again after a delay. */
export class EvictionPolicy {
  readonly #redis: Redis;
  readonly #log: Log;
  #loggedPolicy: string = NO_EVICTION;

  constructor({ redis, log }: { redis: Redis; log: Log }) {
    this.#redis = redis;
    this.#log = log;
    redis.on('ready', () => void this.read().catch(() => undefined));
  }

  /** Uses INFO, because managed Redis services often forbid CONFIG GET. @throws Error if Redis does not respond */
  async read(): Promise<'ok' | 'evicts' | 'unknown'> {
    const info = await readRedisMemory(this.#redis);
    const policy = info?.policy ?? UNKNOWN;
    this.#logIfChanged(policy);
    if (policy === UNKNOWN) return 'unknown';
    return policy === NO_EVICTION ? 'ok' : 'evicts';
  }

  #logIfChanged(policy: string): void {
    if (policy === this.#loggedPolicy) return;
    this.#loggedPolicy = policy;
    if (policy === NO_EVICTION) this.#log.info({ policy }, 'Redis maxmemory-policy is correct again');
    else if (policy === UNKNOWN) this.#log.warn('The maxmemory-policy of Redis is unknown: its user may not run INFO');
    else this.#log.error({ policy }, 'Redis may evict index jobs: set its maxmemory-policy to noeviction');
  }
}
