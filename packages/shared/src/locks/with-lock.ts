import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Database, Tx } from '../stores/postgres.ts';
import { LockLost, type HeldLock } from './held-lock.ts';
import { hasToken, hasTokenUntilCommit, releaseRow, takeRow, type Lock } from './lock-row.ts';
import { keepLock } from './keep-lock.ts';

/**
 * A lock is a row with a token. For processes of the previous release it is also PostgreSQL's advisory lock, in a
 * transaction that stays open, because a connection pooler gives each transaction another session. If that
 * transaction ends, the lock is lost.
 * @returns false if another process holds the lock
 */
export function withLock(database: Database, lock: Lock, work: (held: HeldLock) => Promise<void>): Promise<boolean> {
  const row = { lock, token: randomUUID(), holder: `${hostname()}:${process.pid}` };
  return database.keepTransactionOpen(async (tx, transactionLost) => {
    if (!(await tryAdvisoryLock(tx, lock))) return false;
    if (!(await takeRow(database, row))) return false;
    const kept = keepLock(database, tx, row, transactionLost);
    const assertToken = async (isHeld: Promise<boolean>): Promise<void> => {
      if (!(await isHeld)) throw new LockLost(lock.name);
      kept.signal.throwIfAborted();
    };
    try {
      await work({
        signal: kept.signal,
        assertHeld: () => assertToken(hasToken(database, row)),
        check: (changing) => assertToken(hasTokenUntilCommit(changing, row)),
      });
      return true;
    } finally {
      kept.stop();
      // If this fails, the row is free as soon as the transaction ends.
      await releaseRow(database, row).catch(() => undefined);
    }
  });
}

async function tryAdvisoryLock(tx: Tx, { advisoryKey }: Lock): Promise<boolean> {
  const [lock] = await tx.query<{ acquired: boolean }>('select pg_try_advisory_xact_lock($1) as acquired', [advisoryKey]);
  return lock?.acquired ?? false;
}
