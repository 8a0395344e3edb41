import { Shares } from './shares.ts';

/** Lists and suggestions use Elasticsearch, all others PostgreSQL. */
export type SlotKind = 'list' | 'suggestion' | 'other';
type PerKind = Record<SlotKind, number>;

type SlotLimits = {
  /** Active requests of one user. */
  active: PerKind;
  /** Waiting requests of one user, over all kinds. */
  waiting: number;
  /** Lower limits by kind, and one over all kinds, while `appliesTo` returns true. */
  whenBusy: { active: PerKind; total: number; appliesTo: (userId: number) => boolean };
  /** The error of a request when too many of its user wait. */
  toError: () => Error;
};

/** A second call has no effect. @param outage fails all waiting requests of the same user and kind */
type ReleaseSlot = (outage?: Error) => void;

/** Limits the active requests of each user. Further ones wait. */
export class RequestSlots {
  readonly limits: SlotLimits;
  readonly #shares: Record<SlotKind, Shares>;

  constructor(limits: SlotLimits) {
    this.limits = limits;
    const sharesOf = (kind: SlotKind): Shares =>
      new Shares({ user: limits.active[kind], process: Infinity }, { lowered: (userId) => this.#lowered(userId, kind) });
    this.#shares = { list: sharesOf('list'), suggestion: sharesOf('suggestion'), other: sharesOf('other') };
  }

  /** The highest number of active requests of any user. */
  mostActive(kind: SlotKind): number {
    return this.#shares[kind].mostUsed;
  }

  /** The highest number of waiting requests of any user. */
  get mostWaiting(): number {
    const users = new Set(this.#all.flatMap((shares) => shares.waitingUsers));
    return Math.max(0, ...[...users].map((userId) => this.#waitingOf(userId)));
  }

  /** @throws the error of the limits · the signal's reason · the outage that a request of the same user and kind reported */
  async acquire(userId: number, kind: SlotKind, signal: AbortSignal): Promise<ReleaseSlot> {
    const shares = this.#shares[kind];
    this.#startWaiting();
    if (this.#waitingOf(userId) >= this.limits.waiting && shares.exceeded(userId, 1)) throw this.limits.toError();
    const hold = await shares.wait(userId, 1, signal);
    let held = true;
    return (outage) => {
      if (!held) return;
      held = false;
      // Otherwise each waiting request would run into the timeout of the unavailable store, one after the other.
      if (outage) shares.failWaiting(userId, outage);
      hold.release();
      this.#startWaiting();
    };
  }

  get #all(): Shares[] {
    return Object.values(this.#shares);
  }

  #waitingOf(userId: number): number {
    return this.#all.reduce((sum, shares) => sum + shares.waitingOf(userId), 0);
  }

  #lowered(userId: number, kind: SlotKind): number {
    const { active, total, appliesTo } = this.limits.whenBusy;
    if (!appliesTo(userId)) return Infinity;
    const others = this.#all.filter((shares) => shares !== this.#shares[kind]);
    return Math.min(active[kind], total - others.reduce((sum, shares) => sum + shares.usedBy(userId), 0));
  }

  /** What is active of one kind counts for the others too while the process is busy. */
  #startWaiting(): void {
    for (const shares of this.#all) shares.startWaiting();
  }
}
