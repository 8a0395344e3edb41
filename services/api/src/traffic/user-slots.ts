import { UserTotals } from './user-totals.ts';

export type SlotLimits = { atWork: number; waiting: number };

/** Too many requests of this user are waiting for a slot. */
export class NoSlot extends Error {
  override readonly name = 'NoSlot';
}

type Start = () => void;

/** Lets each user have a bounded number of requests at work. Further ones wait, first in, first out, in bounded number. */
export class UserSlots {
  readonly limits: SlotLimits;
  readonly #atWork = new UserTotals();
  readonly #waiting = new Map<number, Set<Start>>();

  constructor(limits: SlotLimits) {
    this.limits = limits;
  }

  /** Of the user who has most. */
  get mostAtWork(): number {
    return this.#atWork.largest;
  }

  /** Of the user who has most. */
  get mostWaiting(): number {
    return Math.max(0, ...[...this.#waiting.values()].map((waiters) => waiters.size));
  }

  /**
   * @param signal ends the wait
   * @returns a function that gives the slot back; a second call does nothing
   * @throws NoSlot · the signal's reason
   */
  async take(userId: number, signal: AbortSignal): Promise<() => void> {
    if (this.#atWork.of(userId) >= this.limits.atWork) await this.#wait(userId, signal);
    else this.#atWork.add(userId, 1);
    let held = true;
    return () => {
      if (held) this.#next(userId);
      held = false;
    };
  }

  /** Resolves with the slot of a request that has ended. */
  async #wait(userId: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const waiters = this.#waiting.get(userId) ?? new Set();
    if (waiters.size >= this.limits.waiting) throw new NoSlot('too many requests of this user are waiting');
    const { promise, resolve: start, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => {
      this.#leave(userId, start);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.set(userId, waiters.add(start));
    await promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  #next(userId: number): void {
    const [first] = this.#waiting.get(userId) ?? [];
    if (!first) return this.#atWork.add(userId, -1);
    this.#leave(userId, first);
    first();
  }

  #leave(userId: number, start: Start): void {
    const waiters = this.#waiting.get(userId);
    waiters?.delete(start);
    if (waiters?.size === 0) this.#waiting.delete(userId);
  }
}
