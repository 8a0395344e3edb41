import { UserTotals } from './user-totals.ts';

export type SlotLimits = {
  atWork: number;
  waiting: number;
  /** A lower limit of requests at work, for the time in which this says so. */
  lowered?: { atWork: number; appliesTo: (userId: number) => boolean };
};

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
    if (this.#hasSlot(userId) && !this.#waiting.has(userId)) this.#atWork.add(userId, 1);
    else await this.#wait(userId, signal);
    let held = true;
    return () => {
      if (held) this.#release(userId);
      held = false;
    };
  }

  #hasSlot(userId: number): boolean {
    const { atWork, lowered } = this.limits;
    const limit = lowered?.appliesTo(userId) ? Math.min(lowered.atWork, atWork) : atWork;
    return this.#atWork.of(userId) < limit;
  }

  /** Resolves when this request has a slot. */
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

  #release(userId: number): void {
    this.#atWork.add(userId, -1);
    // Several, when the limit has been lowered meanwhile and is not any more.
    for (const start of this.#waiting.get(userId) ?? []) {
      if (!this.#hasSlot(userId)) return;
      this.#leave(userId, start);
      this.#atWork.add(userId, 1);
      start();
    }
  }

  #leave(userId: number, start: Start): void {
    const waiters = this.#waiting.get(userId);
    waiters?.delete(start);
    if (waiters?.size === 0) this.#waiting.delete(userId);
  }
}
