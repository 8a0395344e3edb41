import type { Log } from '@ugc/shared/process/log';
import type { Redis } from 'ioredis';

const NO_EVICTION = 'noeviction';

/**
 * A Redis that is full and may evict drops index jobs without a word. The outbox hands them out again, late and again and again, so
 * it is said as loudly as can be.
 */
export class EvictionPolicy {
  readonly #redis: Redis;
  readonly #log: Log;
  #lastSaid = NO_EVICTION;

  constructor({ redis, log }: { redis: Redis; log: Log }) {
    this.#redis = redis;
    this.#log = log;
    redis.on('ready', () => void this.mayEvict().catch(() => undefined));
  }

  /** Asks Redis. Managed ones forbid CONFIG GET; INFO says it too. */
  async mayEvict(): Promise<boolean> {
    const info = await this.#redis.info('memory');
    const policy = /^maxmemory_policy:([\w-]+)/m.exec(info)?.[1] ?? NO_EVICTION;
    this.#sayIfNew(policy);
    return policy !== NO_EVICTION;
  }

  #sayIfNew(policy: string): void {
    if (policy === this.#lastSaid) return;
    this.#lastSaid = policy;
    if (policy === NO_EVICTION) this.#log.info({ policy }, 'Redis does not evict any more');
    else this.#log.error({ policy }, 'Redis may evict index jobs: set its maxmemory-policy to noeviction');
  }
}
