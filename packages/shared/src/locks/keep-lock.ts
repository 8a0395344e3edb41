import type { Database, Tx } from '../stores/postgres.ts';
import { LockLost } from './held-lock.ts';
import { LOCK_TTL_MS, renewRow } from './lock-row.ts';

const RENEW_EVERY_MS = 5_000;

type Row = Parameters<typeof renewRow>[1];
type Kept = { signal: AbortSignal; stop(): void };

/** Renews a lock in the background until it is stopped or lost. */
export function keepLock(database: Database, tx: Tx, row: Row, transactionLost: AbortSignal): Kept {
  const lost = new AbortController();
  const lose = (cause?: unknown): void => lost.abort(new LockLost(row.lock.name, cause));
  transactionLost.addEventListener('abort', () => lose(transactionLost.reason), { once: true });
  if (transactionLost.aborted) lose(transactionLost.reason);
  const renewal = renewer(database, tx, row);
  const timer = setInterval(() => void renewal().then((isHeld) => isHeld || lose(), lose), RENEW_EVERY_MS);
  return { signal: lost.signal, stop: () => clearInterval(timer) };
}

/** @returns a function that returns false if the lock was lost, and throws if it is unknown for too long */
function renewer(database: Database, tx: Tx, row: Row): () => Promise<boolean> {
  let renewedAt = performance.now();
  return async () => {
    const startedAt = performance.now();
    // Otherwise PostgreSQL ends the idle transaction.
    await tx.query('select 1');
    try {
      if (!(await renewRow(database, row))) return false;
      renewedAt = startedAt;
    } catch (error) {
      if (startedAt - renewedAt > LOCK_TTL_MS) throw error;
    }
    return true;
  };
}
