import { UserTotals } from './user-totals.ts';

type SlotLimits<Kind extends string> = {
  active: Record<Kind, number>;
  /** Over all kinds. */
  waiting: number;
  /** Lower limits by kind, and one over all kinds, that are used while `appliesTo` returns true. */
  whenBusy?: { active: Record<Kind, number>; total: number; appliesTo: (userId: number) => boolean };
};

export class TooManyWaiting extends Error {
  override readonly name = 'TooManyWaiting';
}

type Waiter<Kind> = { kind: Kind; start: () => void; fail: (error: Error) => void };

/** A second call has no effect. @param outage fails all waiting requests of the same user and kind */
type ReleaseSlot = (outage?: Error) => void;

/** Limits the active requests of each user. Further requests wait in one bounded queue per user, in order per kind. */
export class UserSlots<Kind extends string> {
  readonly limits: SlotLimits<Kind>;
  readonly #active: Record<Kind, UserTotals>;
  readonly #waiting = new Map<number, Set<Waiter<Kind>>>();

  constructor(limits: SlotLimits<Kind>) {
    this.limits = limits;
    const kinds = Object.keys(limits.active) as Kind[];
    this.#active = Object.fromEntries(kinds.map((kind) => [kind, new UserTotals()])) as Record<Kind, UserTotals>;
  }

  /** The highest number of active requests of any user. */
  mostActive(kind: Kind): number {
    return this.#active[kind].largest;
  }

  /** The highest number of waiting requests of any user. */
  get mostWaiting(): number {
    return Math.max(0, ...[...this.#waiting.values()].map((waiters) => waiters.size));
  }

  /** @throws TooManyWaiting · the signal's reason · the outage that a request of the same user and kind reported */
  async acquire(userId: number, kind: Kind, signal: AbortSignal): Promise<ReleaseSlot> {
    this.#startWaiting(userId);
    if (this.#hasSlot(userId, kind)) this.#active[kind].add(userId, 1);
    else await this.#wait(userId, kind, signal);
    let held = true;
    return (outage) => {
      if (held) this.#release(userId, kind, outage);
      held = false;
    };
  }

  #hasSlot(userId: number, kind: Kind): boolean {
    const { active, whenBusy } = this.limits;
    const activeOfKind = this.#active[kind].of(userId);
    if (!whenBusy?.appliesTo(userId)) return activeOfKind < active[kind];
    return activeOfKind < Math.min(whenBusy.active[kind], active[kind]) && this.#countActive(userId) < whenBusy.total;
  }

  #countActive(userId: number): number {
    return Object.values<UserTotals>(this.#active).reduce((sum, totals) => sum + totals.of(userId), 0);
  }

  async #wait(userId: number, kind: Kind, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const waiters = this.#waiting.get(userId) ?? new Set();
    if (waiters.size >= this.limits.waiting) throw new TooManyWaiting('too many requests of this user are waiting');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter<Kind> = { kind, start: resolve, fail: reject };
    const onAbort = (): void => {
      this.#removeWaiter(userId, waiter);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.set(userId, waiters.add(waiter));
    await promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  #release(userId: number, kind: Kind, outage: Error | undefined): void {
    this.#active[kind].add(userId, -1);
    // Otherwise each waiting request would run into the timeout of the unavailable store, one after the other.
    if (outage) this.#failWaiting(userId, kind, outage);
    this.#startWaiting(userId);
  }

  #failWaiting(userId: number, kind: Kind, outage: Error): void {
    for (const waiter of this.#waiting.get(userId) ?? []) {
      if (waiter.kind !== kind) continue;
      waiter.fail(outage);
      this.#removeWaiter(userId, waiter);
    }
  }

  #startWaiting(userId: number): void {
    for (const waiter of this.#waiting.get(userId) ?? []) {
      if (!this.#hasSlot(userId, waiter.kind)) continue;
      this.#active[waiter.kind].add(userId, 1);
      waiter.start();
      this.#removeWaiter(userId, waiter);
    }
  }

  #removeWaiter(userId: number, waiter: Waiter<Kind>): void {
    const waiters = this.#waiting.get(userId);
    waiters?.delete(waiter);
    if (waiters?.size === 0) this.#waiting.delete(userId);
  }
}
