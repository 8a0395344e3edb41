import type { Tx } from '../stores/postgres.ts';

/** Another process may hold the lock now. What was begun under it stops. */
export class LockLost extends Error {
  override readonly name = 'LockLost';

  constructor(lockName: string, cause?: unknown) {
    super(`the lock "${lockName}" was lost: PostgreSQL did not respond for too long, or another process has taken it over; try again`, {
      cause,
    });
  }
}

export type HeldLock = {
  /** Aborts when the lock is lost. */
  signal: AbortSignal;
  /** Precedes changes outside of PostgreSQL, which may come late all the same. @throws LockLost */
  assertHeld(): Promise<void>;
  /** Nobody else takes the lock before this transaction ends. @throws LockLost */
  check(tx: Tx): Promise<void>;
};
