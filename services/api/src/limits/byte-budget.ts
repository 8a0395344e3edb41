import { UserTotals } from './user-totals.ts';

export type ExceededLimit = 'user' | 'process';

type ByteLimits = { userLimitBytes: number; processLimitBytes: number };

export type Reservation = {
  /** @throws the error of the budget when a limit would be exceeded; then nothing is reserved */
  add(bytes: number): void;
  /** Releases all bytes. A second call has no effect. */
  release(): void;
};

/** Limits the bytes that requests hold in memory, per user and for the process. */
export class ByteBudget {
  readonly limits: ByteLimits;
  readonly #toError: (exceeded: ExceededLimit) => Error;
  readonly #used = new UserTotals();

  constructor(limits: ByteLimits, toError: (exceeded: ExceededLimit) => Error) {
    this.limits = limits;
    this.#toError = toError;
  }

  get usedBytes(): number {
    return this.#used.sum;
  }

  reserve(userId: number): Reservation {
    let reservedBytes = 0;
    const add = (bytes: number): void => {
      this.#assertWithinLimits(userId, bytes);
      this.#used.add(userId, bytes);
      reservedBytes += bytes;
    };
    const release = (): void => {
      this.#used.add(userId, -reservedBytes);
      reservedBytes = 0;
    };
    return { add, release };
  }

  #assertWithinLimits(userId: number, bytes: number): void {
    const { userLimitBytes, processLimitBytes } = this.limits;
    if (this.#used.of(userId) + bytes > userLimitBytes) throw this.#toError('user');
    if (this.#used.sum + bytes > processLimitBytes) throw this.#toError('process');
  }
}

/** The limit of a user is a quarter of the process limit, but never less than the largest single request. */
export function byteLimits(processLimitBytes: number, largestRequestBytes: number): ByteLimits {
  return { processLimitBytes, userLimitBytes: Math.max(Math.floor(processLimitBytes / 4), largestRequestBytes) };
}
