import { isLocked, type Lock } from '../locks/lock-row.ts';
import type { Database } from '../stores/postgres.ts';

/** Only one process at a time creates, swaps, removes or purges indices. */
export const INDEX_LOCK: Lock = { name: 'index', advisoryKey: 7_316_204_118 };

/** Reads the state of the lock without taking it. */
export function isIndexLocked(database: Database): Promise<boolean> {
  return isLocked(database, INDEX_LOCK);
}
