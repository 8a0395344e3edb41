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

type Waiter = { start: () => void; fail: (error: Error) => void };

/** Gives a slot back; a second call does nothing. With an error, all that wait for a slot of the same user fail with it. */
export type ReleaseSlot = (outage?: Error) => void;

/** Lets each user have a bounded number of requests at work. Further ones wait, first in, first out, in bounded number. */
export class UserSlots {
  readonly limits: SlotLimits;
  readonly #atWork = new UserTotals();
  readonly #waiting = new Map<number, Set<Waiter>>();

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
   * @throws NoSlot · the signal's reason · the outage that a request of the same user has met
   */
  async take(userId: number, signal: AbortSignal): Promise<ReleaseSlot> {
    if (this.#hasSlot(userId) && !this.#waiting.has(userId)) this.#atWork.add(userId, 1);
    else await this.#wait(userId, signal);
    let held = true;
    return (outage) => {
      if (held) this.#release(userId, outage);
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
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { start: resolve, fail: reject };
    const onAbort = (): void => {
      this.#leave(userId, waiter);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.set(userId, waiters.add(waiter));
    await promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  #release(userId: number, outage: Error | undefined): void {
    this.#atWork.add(userId, -1);
    for (const waiter of this.#waiting.get(userId) ?? []) {
      // A store that is away is not waited for by each of them in turn.
      if (outage) waiter.fail(outage);
      else if (!this.#hasSlot(userId)) return;
      else this.#start(userId, waiter);
      this.#leave(userId, waiter);
    }
  }

  #start(userId: number, { start }: Waiter): void {
    this.#atWork.add(userId, 1);
    start();
  }

  #leave(userId: number, waiter: Waiter): void {
    const waiters = this.#waiting.get(userId);
    waiters?.delete(waiter);
    if (waiters?.size === 0) this.#waiting.delete(userId);
  }
}
