import { isLocked } from '../locks/lock-row.ts';
import type { Database } from '../stores/postgres.ts';

/** Only one process at a time creates, swaps, removes or purges indices. */
export const INDEX_LOCK = 'index';

/** Reads the state of the lock without taking it. */
export function isIndexLocked(database: Database): Promise<boolean> {
  return isLocked(database, INDEX_LOCK);
}
