import { UserTotals } from './user-totals.ts';

/** Whose limit is reached: the user's own, or that of the whole process. */
export type Exhausted = 'user' | 'process';

export type ByteLimits = { userLimitBytes: number; processLimitBytes: number };

/** Bytes that one request holds. */
export type Reservation = {
  /** @throws what the budget's `refuse` returns, when there is no room; then nothing is added */
  add(bytes: number): void;
  /** Gives all of it back. A second call does nothing. */
  release(): void;
};

/** Bounds the bytes that requests hold in memory: those of one user, and those of all users of this process. */
export class ByteBudget {
  readonly limits: ByteLimits;
  readonly #refuse: (exhausted: Exhausted) => Error;
  readonly #used = new UserTotals();

  constructor(limits: ByteLimits, refuse: (exhausted: Exhausted) => Error) {
    this.limits = limits;
    this.#refuse = refuse;
  }

  get usedBytes(): number {
    return this.#used.sum;
  }

  reserve(userId: number): Reservation {
    let held = 0;
    const add = (bytes: number): void => {
      this.#assertRoom(userId, bytes);
      this.#used.add(userId, bytes);
      held += bytes;
    };
    const release = (): void => {
      this.#used.add(userId, -held);
      held = 0;
    };
    return { add, release };
  }

  #assertRoom(userId: number, bytes: number): void {
    const { userLimitBytes, processLimitBytes } = this.limits;
    if (this.#used.of(userId) + bytes > userLimitBytes) throw this.#refuse('user');
    if (this.#used.sum + bytes > processLimitBytes) throw this.#refuse('process');
  }
}

/** A user may hold a quarter of the whole, and always enough for the largest single request. */
export function shareOf(processLimitBytes: number, largestBytes: number): ByteLimits {
  return { processLimitBytes, userLimitBytes: Math.max(Math.floor(processLimitBytes / 4), largestBytes) };
}
