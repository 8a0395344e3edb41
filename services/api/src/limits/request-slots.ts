import { LRUCache } from 'lru-cache';
import { tryAgain, type Problem } from '../http/problem.ts';
import { Shares } from './shares.ts';

/** Lists and suggestions use Elasticsearch, all others PostgreSQL. */
type SlotKind = 'list' | 'suggestion' | 'other';
type PerKind<T> = Record<SlotKind, T>;

/** A waiting request costs one connection and its headers. */
const WAITING = { user: 200, process: Infinity };
/** Applies while the process is busy and other users are active, whose requests would wait for these. */
const WHEN_BUSY = { active: { list: 1, suggestion: 1, other: 2 }, total: 2 };
const RECENT_MS = 1_000;

/** A second call has no effect. @param outage fails all waiting requests of the same user and kind */
type ReleaseSlot = (outage?: Error) => void;

export class RequestSlots {
  readonly active: PerKind<Shares>;
  readonly waiting = new Shares(WAITING, { toError: tooManyRequests });
  readonly #isBusy: () => boolean;
  /** The users of the last requests: two are enough to know whether there are others. */
  readonly #recentUsers = new LRUCache<number, true>({ max: 2, ttl: RECENT_MS });

  constructor(limits: PerKind<number>, isBusy: () => boolean) {
    this.#isBusy = isBusy;
    const sharesOf = (kind: SlotKind): Shares =>
      new Shares({ user: limits[kind], process: Infinity }, { toError: tooManyRequests, lowered: (userId) => this.#lowered(userId, kind) });
    this.active = { list: sharesOf('list'), suggestion: sharesOf('suggestion'), other: sharesOf('other') };
  }

  /** @throws Problem 429 if too many wait, or this one for too long · the signal's reason · the outage that a request of the same user and kind reported */
  async acquire(userId: number, kind: SlotKind, signal: AbortSignal): Promise<ReleaseSlot> {
    const shares = this.active[kind];
    this.#recentUsers.set(userId, true);
    this.#startWaiting();
    const waiting = shares.exceeded(userId, 1) && this.waiting.take(userId, 1);
    const hold = await shares.wait(userId, 1, signal).finally(() => waiting?.release());
    return (outage) => {
      // Otherwise each waiting request would run into the timeout of the unavailable store, one after the other.
      if (outage) shares.failWaiting(userId, outage);
      hold.release();
      this.#startWaiting();
    };
  }

  #lowered(userId: number, kind: SlotKind): number {
    if (!this.#isBusy() || [...this.#recentUsers.keys()].every((recent) => recent === userId)) return Infinity;
    const others = Object.values(this.active).filter((shares) => shares !== this.active[kind]);
    return Math.min(WHEN_BUSY.active[kind], WHEN_BUSY.total - others.reduce((sum, shares) => sum + shares.usedBy(userId), 0));
  }

  /** What is active of one kind counts for the others too while the process is busy. */
  #startWaiting(): void {
    for (const shares of Object.values(this.active)) shares.startWaiting();
  }
}

export function tooManyRequests(): Problem {
  return tryAgain(429, 'too-much-at-once', 'Too many of your requests are waiting. Try again when some of them have finished.');
}

const SAMPLE_EVERY_MS = 100;
const BUSY_SHARE = 0.7;
/** Hysteresis: limits must not change with every request. */
const BUSY_FOR_MS = 10_000;

/** Whether the utilization of the event loop has recently been high, or all threads were in use. */
export class ProcessLoad {
  #previousSample = performance.eventLoopUtilization();
  #busyUntilMs = -Infinity;
  readonly #sampling: NodeJS.Timeout;

  constructor(threads: Shares) {
    this.#sampling = setInterval(() => this.#sample(threads), SAMPLE_EVERY_MS).unref();
  }

  isBusy(): boolean {
    return performance.now() < this.#busyUntilMs;
  }

  close(): void {
    clearInterval(this.#sampling);
  }

  #sample({ used, limits }: Shares): void {
    const sample = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(sample, this.#previousSample);
    this.#previousSample = sample;
    if (utilization > BUSY_SHARE || used >= limits.process) this.#busyUntilMs = performance.now() + BUSY_FOR_MS;
  }
}
