import { countPendingUpTo } from './backlog.ts';
import type { Database } from '../postgres/postgres.ts';
import { setTimeout as delay } from 'node:timers/promises';

export const BULK_BATCH_SIZE = 500;
export const BULK_PENDING_LIMIT = 1_000;

const POLL_EVERY_MS = 100;

/** `maxWaitMs`: the longest wait before a batch, however many changes are pending. */
export type BackpressureOptions = { maxWaitMs?: number | undefined; signal?: AbortSignal | undefined };

/**
 * Limits how far a rename, a repair or a retry of many items delays later changes: to BULK_PENDING_LIMIT +
 * BULK_BATCH_SIZE changes ahead of them.
 * @returns a function that resolves when the next batch may be added
 */
export function bulkBackpressure(
  database: Pick<Database, 'query'>,
  { maxWaitMs = 10_000, signal }: BackpressureOptions = {},
): () => Promise<void> {
  let deadline = performance.now() + maxWaitMs;
  return async () => {
    while (performance.now() < deadline && (await countPendingUpTo(database, BULK_PENDING_LIMIT)) >= BULK_PENDING_LIMIT) {
      await delay(POLL_EVERY_MS, undefined, { signal });
    }
    deadline = performance.now() + maxWaitMs;
  };
}
