import type { Log } from '@ugc/shared/process/log';
import type { Redis } from 'ioredis';

const NO_EVICTION = 'noeviction';

/** With an eviction policy, a full Redis deletes index jobs silently. Their changes are claimed again after a delay. */
export class EvictionPolicy {
  readonly #redis: Redis;
  readonly #log: Log;
  #loggedPolicy = NO_EVICTION;

  constructor({ redis, log }: { redis: Redis; log: Log }) {
    this.#redis = redis;
    this.#log = log;
    redis.on('ready', () => void this.mayEvict().catch(() => undefined));
  }

  /** Uses INFO, because managed Redis services often forbid CONFIG GET. */
  async mayEvict(): Promise<boolean> {
    const info = await this.#redis.info('memory');
    const policy = /^maxmemory_policy:([\w-]+)/m.exec(info)?.[1] ?? NO_EVICTION;
    this.#logIfChanged(policy);
    return policy !== NO_EVICTION;
  }

  #logIfChanged(policy: string): void {
    if (policy === this.#loggedPolicy) return;
    this.#loggedPolicy = policy;
    if (policy === NO_EVICTION) this.#log.info({ policy }, 'Redis maxmemory-policy is correct again');
    else this.#log.error({ policy }, 'Redis may evict index jobs: set its maxmemory-policy to noeviction');
  }
}
