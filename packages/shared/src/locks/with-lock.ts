import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Database } from '../stores/postgres.ts';
import { LockLost, type HeldLock } from './held-lock.ts';
import { hasToken, hasTokenUntilCommit, releaseRow, takeRow } from './lock-row.ts';
import { keepLock } from './keep-lock.ts';

/**
 * A lock is a row with a token, because a connection pooler gives each transaction another session.
 * @returns false if another process holds the lock
 */
export async function withLock(database: Database, name: string, work: (held: HeldLock) => Promise<void>): Promise<boolean> {
  const row = { name, token: randomUUID(), holder: `${hostname()}:${process.pid}` };
  if (!(await takeRow(database, row))) return false;
  const kept = keepLock(database, row);
  const assertToken = async (isHeld: Promise<boolean>): Promise<void> => {
    if (!(await isHeld)) throw new LockLost(name);
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
    // If this fails, the row expires.
    await releaseRow(database, row).catch(() => undefined);
  }
}
