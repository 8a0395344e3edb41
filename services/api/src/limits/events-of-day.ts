import { WEIGHTS, type UserEvent } from '@ugc/items/changes/popularity';
import { Breaker } from '@ugc/shared/timing/breaker';
import type { Log } from '@ugc/shared/process/log';
import type { Redis } from 'ioredis';

/** What counts once for a user, an item and a day: the first download, and the first rating. */
type Kind = 'download' | 'liked';
type Counted = Pick<UserEvent, 'isFirst' | 'weight'>;
/** `redis`: one whose commands fail soon. */
type Deps = { redis: Redis; queuePrefix: string; log: Log; now?: () => number };

/** So many integers take 4 KB in Redis; more would take 30 KB. Nobody looks at so many items on a day. */
export const EVENTS_OF_DAY_MAX = 512;

const DAY_MS = 86_400_000;
/** The clocks of two processes may differ, and may be set back. */
const KEPT_SECONDS = 2 * 86_400;

/** While Redis does not respond, few downloads wait for it. */
const BREAKER = { failures: 3, openMs: 2_000 };

/**
 * KEYS: the events of a user on a day · ARGV: this event, the other kind for the same item, how many there may be, seconds
 * Only commands that the service has always needed: a user of Redis may be allowed no others. `srem` tells whether there is one.
 * @returns whether the event is the first of its kind, and whether there is one of the other kind
 */
const COUNT = `
if redis.call('scard', KEYS[1]) >= tonumber(ARGV[3]) or redis.call('sadd', KEYS[1], ARGV[1]) == 0 then return { 0, 0 } end
if redis.call('scard', KEYS[1]) == 1 then redis.call('expire', KEYS[1], ARGV[4]) end
local hasOther = redis.call('srem', KEYS[1], ARGV[2])
if hasOther == 1 then redis.call('sadd', KEYS[1], ARGV[2]) end
return { 1, hasOther }`;

const NOT_COUNTED: Counted = { isFirst: false, weight: 0 };

/**
 * Which items each user has downloaded and liked today, in UTC: one set of Redis a user and day, with the id of an item for a
 * download and the negative id for a rating.
 */
export class EventsOfDay {
  readonly #deps: Deps;
  readonly #now: () => number;
  readonly #breaker: Breaker;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
    const onChange = (isOpen: boolean, err?: unknown): void => {
      if (isOpen) deps.log.warn({ err }, 'downloads do not count as those by users: Redis failed');
      else deps.log.info('downloads count as those by users again');
    };
    this.#breaker = new Breaker({ ...BREAKER, onChange });
  }

  /**
   * @param user `limitKey`, which an account keeps when it becomes a user
   * @returns what the event adds. Without Redis, and above the number of events of a day, it is none of users.
   */
  async count(user: number, contentId: number, kind: Kind): Promise<Counted> {
    const answer = await this.#breaker.run(() => this.#ask(user, contentId, kind)).catch(() => undefined);
    const [isFirst, hasOther] = answer ?? [0, 0];
    if (isFirst === 0) return NOT_COUNTED;
    const { download, liked } = WEIGHTS;
    if (kind === 'download') return { isFirst: true, weight: hasOther === 1 ? 0 : download };
    return { isFirst: true, weight: hasOther === 1 ? liked - download : liked };
  }

  /** An event that was refused is none. Without Redis it stays, and the next one of the day is none of users. */
  async forget(user: number, contentId: number, kind: Kind): Promise<void> {
    const own = kind === 'download' ? contentId : -contentId;
    await this.#breaker.run(() => this.#deps.redis.srem(this.#keyOf(user), own)).catch(() => undefined);
  }

  #keyOf(user: number): string {
    return `${this.#deps.queuePrefix}:events:${Math.floor(this.#now() / DAY_MS)}:${user}`;
  }

  #ask(user: number, contentId: number, kind: Kind): Promise<[isFirst: number, hasOther: number]> {
    const [own, other] = kind === 'download' ? [contentId, -contentId] : [-contentId, contentId];
    return this.#deps.redis.eval(COUNT, 1, this.#keyOf(user), own, other, EVENTS_OF_DAY_MAX, KEPT_SECONDS) as Promise<[number, number]>;
  }
}
