import type { Database } from './postgres.ts';
import { setTimeout as delay } from 'node:timers/promises';

/** Bulk work adds changes in batches of this size, each in content_id order. */
export const BULK_BATCH = 500;
/** With fewer pending changes than this the next batch may come. */
export const BULK_PENDING_BELOW = 1_000;

const LOOK_EVERY_MS = 100;

export type PaceOptions = {
  /** A batch is let through after this time, however many changes are pending. */
  atLeastEveryMs?: number | undefined;
  signal?: AbortSignal | undefined;
};

/**
 * Keeps a rename, a repair or a retry of many items from delaying later changes: those wait for at most BULK_PENDING_BELOW +
 * BULK_BATCH changes of bulk work instead of all of them.
 * @returns a function that resolves when the next batch may be added
 */
export function paceBulkWork(database: Database, { atLeastEveryMs = 10_000, signal }: PaceOptions = {}): () => Promise<void> {
  let deadline = performance.now() + atLeastEveryMs;
  return async () => {
    while (performance.now() < deadline && (await countPending(database)) >= BULK_PENDING_BELOW) {
      await delay(LOOK_EVERY_MS, undefined, { signal });
    }
    deadline = performance.now() + atLeastEveryMs;
  };
}

// Stops at the limit. Each half has an index of its own, and neither holds rejected rows.
async function countPending(database: Database): Promise<number> {
  const [row] = await database.query<{ pending: number }>(
    `select count(*) as pending from (
       (select from index_outbox where job_id is null and rejected_reason is null limit ${BULK_PENDING_BELOW})
       union all (select from index_outbox where job_id is not null limit ${BULK_PENDING_BELOW})
     ) as o`,
  );
  return row?.pending ?? 0;
}
