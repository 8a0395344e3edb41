import type { Database } from '../stores/postgres.ts';
import { LockLost } from './held-lock.ts';
import { LOCK_TTL_MS, renewRow } from './lock-row.ts';

const RENEW_EVERY_MS = 2_000;

type Row = Parameters<typeof renewRow>[1];
type Kept = { signal: AbortSignal; stop(): void };

/** Renews a lock in the background until it is stopped or lost. */
export function keepLock(database: Database, row: Row): Kept {
  const lost = new AbortController();
  const lose = (cause?: unknown): void => lost.abort(new LockLost(row.name, cause));
  const renewal = renewer(database, row);
  const timer = setInterval(() => void renewal().then((isHeld) => isHeld || lose(), lose), RENEW_EVERY_MS);
  return { signal: lost.signal, stop: () => clearInterval(timer) };
}

/** @returns a function that returns false if the lock was lost, and throws if it is unknown for too long */
function renewer(database: Database, row: Row): () => Promise<boolean> {
  let renewedAt = performance.now();
  return async () => {
    const startedAt = performance.now();
    try {
      if (!(await renewRow(database, row))) return false;
      renewedAt = startedAt;
    } catch (error) {
      if (startedAt - renewedAt > LOCK_TTL_MS) throw error;
    }
    return true;
  };
}
