import { UserTotals } from './user-totals.ts';

export type SlotLimits<Kind extends string> = {
  /** Requests of one user that are at work at a time, by kind. */
  atWork: Record<Kind, number>;
  /** Requests of one user that wait at a time, of all kinds together. */
  waiting: number;
  /** Lower limits, and one for all kinds together, for the time in which this says so. */
  lowered?: { atWork: Record<Kind, number>; together: number; appliesTo: (userId: number) => boolean };
};

/** Too many requests of this user are waiting for a slot. */
export class NoSlot extends Error {
  override readonly name = 'NoSlot';
}

type Waiter<Kind> = { kind: Kind; start: () => void; fail: (error: Error) => void };

/** Gives a slot back; a second call does nothing. With an error, all that wait for the same kind of slot of the same user fail with it. */
export type ReleaseSlot = (outage?: Error) => void;

/** Lets each user have a bounded number of requests at work. Further ones wait, first in, first out for each kind, in bounded number. */
export class UserSlots<Kind extends string> {
  readonly limits: SlotLimits<Kind>;
  readonly #atWork: Record<Kind, UserTotals>;
  readonly #waiting = new Map<number, Set<Waiter<Kind>>>();

  constructor(limits: SlotLimits<Kind>) {
    this.limits = limits;
    const kinds = Object.keys(limits.atWork) as Kind[];
    this.#atWork = Object.fromEntries(kinds.map((kind) => [kind, new UserTotals()])) as Record<Kind, UserTotals>;
  }

  /** Of the user who has most. */
  mostAtWork(kind: Kind): number {
    return this.#atWork[kind].largest;
  }

  /** Of the user who has most. */
  get mostWaiting(): number {
    return Math.max(0, ...[...this.#waiting.values()].map((waiters) => waiters.size));
  }

  /**
   * @param signal ends the wait
   * @throws NoSlot · the signal's reason · the outage that a request of the same user and kind has met
   */
  async take(userId: number, kind: Kind, signal: AbortSignal): Promise<ReleaseSlot> {
    this.#startWaiting(userId);
    if (this.#hasSlot(userId, kind)) this.#atWork[kind].add(userId, 1);
    else await this.#wait(userId, kind, signal);
    let held = true;
    return (outage) => {
      if (held) this.#release(userId, kind, outage);
      held = false;
    };
  }

  #hasSlot(userId: number, kind: Kind): boolean {
    const { atWork, lowered } = this.limits;
    const ofKind = this.#atWork[kind].of(userId);
    if (!lowered?.appliesTo(userId)) return ofKind < atWork[kind];
    return ofKind < Math.min(lowered.atWork[kind], atWork[kind]) && this.#atWorkOf(userId) < lowered.together;
  }

  #atWorkOf(userId: number): number {
    return Object.values<UserTotals>(this.#atWork).reduce((sum, totals) => sum + totals.of(userId), 0);
  }

  /** Resolves when this request has a slot. */
  async #wait(userId: number, kind: Kind, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const waiters = this.#waiting.get(userId) ?? new Set();
    if (waiters.size >= this.limits.waiting) throw new NoSlot('too many requests of this user are waiting');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter<Kind> = { kind, start: resolve, fail: reject };
    const onAbort = (): void => {
      this.#leave(userId, waiter);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.set(userId, waiters.add(waiter));
    await promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  #release(userId: number, kind: Kind, outage: Error | undefined): void {
    this.#atWork[kind].add(userId, -1);
    // A store that is away is not waited for by each of them in turn.
    if (outage) this.#fail(userId, kind, outage);
    this.#startWaiting(userId);
  }

  #fail(userId: number, kind: Kind, outage: Error): void {
    for (const waiter of this.#waiting.get(userId) ?? []) {
      if (waiter.kind !== kind) continue;
      waiter.fail(outage);
      this.#leave(userId, waiter);
    }
  }

  #startWaiting(userId: number): void {
    for (const waiter of this.#waiting.get(userId) ?? []) {
      if (!this.#hasSlot(userId, waiter.kind)) continue;
      this.#atWork[waiter.kind].add(userId, 1);
      waiter.start();
      this.#leave(userId, waiter);
    }
  }

  #leave(userId: number, waiter: Waiter<Kind>): void {
    const waiters = this.#waiting.get(userId);
    waiters?.delete(waiter);
    if (waiters?.size === 0) this.#waiting.delete(userId);
  }
}
