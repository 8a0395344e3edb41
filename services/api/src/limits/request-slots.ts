import { LRUCache } from 'lru-cache';
import { tryAgain, type Problem } from '@ugc/items/problems/problem';
import { WAIT_MAX_MS } from '../http/server.ts';
import { Shares, type Hold } from './shares.ts';
import { StoresAnswers, StoreSilent } from './store-answers.ts';
import { Turns } from './turns.ts';

/** Lists and suggestions use Elasticsearch, all others PostgreSQL. */
type SlotKind = 'list' | 'suggestion' | 'other';
type PerKind<T> = Record<SlotKind, T>;
const KINDS: SlotKind[] = ['list', 'suggestion', 'other'];

/** A waiting request costs one connection and its headers. */
const WAITING = { user: 200, process: Infinity };
/** Applies while the process is busy and other users are active, whose requests would wait for these. */
const WHEN_BUSY = { active: { list: 1, suggestion: 1, other: 2 }, total: 2 };
const RECENT_MS = 1_000;

type SlotOptions = {
  isBusy: () => boolean;
  /** For how long a list or a suggestion waits for a slot. */
  searchWaitMs?: number;
  /** Of the stores, which those who have a slot ask. */
  answers?: StoresAnswers;
};

/** A second call has no effect. @param outage fails all waiting requests of the same user and kind */
type ReleaseSlot = (outage?: Error) => void;

export class RequestSlots {
  readonly active: PerKind<Shares>;
  readonly waiting = new Shares(WAITING, { toError: tooManyRequests });
  readonly #isBusy: () => boolean;
  readonly #answers: StoresAnswers;
  /** One line for all kinds: otherwise the requests of one kind could keep those of another one out for ever. */
  readonly #turns = new Turns<number>();
  /** The users of the last requests: two are enough to know whether there are others. */
  readonly #recentUsers = new LRUCache<number, true>({ max: 2, ttl: RECENT_MS });

  constructor(limits: PerKind<number>, { isBusy, searchWaitMs = WAIT_MAX_MS, answers = new StoresAnswers() }: SlotOptions) {
    this.#isBusy = isBusy;
    this.#answers = answers;
    const sharesOf = (kind: SlotKind): Shares =>
      new Shares(
        { user: limits[kind], process: Infinity },
        {
          toError: tooManyRequests,
          lowered: (userId) => this.#lowered(userId, kind),
          turns: this.#turns,
          waitMaxMs: kind === 'other' ? WAIT_MAX_MS : Math.min(searchWaitMs, WAIT_MAX_MS),
        },
      );
    this.active = { list: sharesOf('list'), suggestion: sharesOf('suggestion'), other: sharesOf('other') };
  }

  /**
   * @throws Problem 429 if too many wait, or this one for too long · StoreSilent if that is the fault of a store · the
   * signal's reason · the outage that a request of the same user and kind reported
   */
  async acquire(userId: number, kind: SlotKind, signal: AbortSignal): Promise<ReleaseSlot> {
    const shares = this.active[kind];
    this.#recentUsers.set(userId, true);
    this.startWaiting();
    const waiting = shares.exceeded(userId, 1) && this.#beginWaiting(userId);
    const turn = shares.wait(userId, 1, signal);
    const hold = await this.#answers.explain(turn).finally(() => waiting?.release());
    return (outage) => {
      // Otherwise each waiting request would run into the timeout of the unavailable store, one after the other.
      if (outage) shares.failWaiting(userId, outage);
      hold.release();
    };
  }

  /** Many wait because of a silent store, and not because of the user. */
  #beginWaiting(userId: number): Hold {
    if (this.waiting.exceeded(userId, 1) && this.#answers.isOneSilent()) throw new StoreSilent();
    return this.waiting.take(userId, 1);
  }

  #lowered(userId: number, kind: SlotKind): number {
    if (!this.#isBusy() || [...this.#recentUsers.keys()].every((recent) => recent === userId)) return Infinity;
    // Of what began before, such as three lists that wait for a silent server, no more counts than may begin now.
    const countedOf = (other: SlotKind): number => Math.min(WHEN_BUSY.active[other], this.active[other].usedBy(userId));
    const others = KINDS.filter((other) => other !== kind).reduce((sum, other) => sum + countedOf(other), 0);
    return Math.min(WHEN_BUSY.active[kind], WHEN_BUSY.total - others);
  }

  /** The limits rise when the process is no longer busy, and when the other users have gone. */
  startWaiting(): void {
    this.#turns.start();
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

  /** @param onSample called when it is known again whether the process is busy */
  constructor(threads: Shares, onSample: () => void = () => undefined) {
    const sample = (): void => {
      this.#sample(threads);
      onSample();
    };
    this.#sampling = setInterval(sample, SAMPLE_EVERY_MS).unref();
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
