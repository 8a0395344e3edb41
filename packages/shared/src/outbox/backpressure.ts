import type { Database } from '../stores/postgres.ts';
import { setTimeout as delay } from 'node:timers/promises';

/** Bulk work adds changes in batches of this size, each in content_id order. */
export const BULK_BATCH_SIZE = 500;
/** With fewer pending changes than this the next batch may come. */
export const BULK_PENDING_LIMIT = 1_000;

const LOOK_EVERY_MS = 100;

export type BackpressureOptions = {
  /** A batch is let through after this time, however many changes are pending. */
  maxWaitMs?: number | undefined;
  signal?: AbortSignal | undefined;
};

/**
 * Keeps a rename, a repair or a retry of many items from delaying later changes: those wait for at most BULK_PENDING_BELOW +
 * BULK_BATCH changes of bulk work instead of all of them.
 * @returns a function that resolves when the next batch may be added
 */
export function bulkBackpressure(
  database: Database,
  { maxWaitMs: maxWaitMs = 10_000, signal }: BackpressureOptions = {},
): () => Promise<void> {
  let deadline = performance.now() + maxWaitMs;
  return async () => {
    while (performance.now() < deadline && (await countPending(database)) >= BULK_PENDING_LIMIT) {
      await delay(LOOK_EVERY_MS, undefined, { signal });
    }
    deadline = performance.now() + maxWaitMs;
  };
}

// Stops at the limit. Each half has an index of its own, and neither holds rejected rows.
async function countPending(database: Database): Promise<number> {
  const [row] = await database.query<{ pending: number }>(
    `select count(*) as pending from (
       (select from index_outbox where job_id is null and rejected_reason is null limit ${BULK_PENDING_LIMIT})
       union all (select from index_outbox where job_id is not null limit ${BULK_PENDING_LIMIT})
     ) as o`,
  );
  return row?.pending ?? 0;
}
