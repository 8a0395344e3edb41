import { CLAIMS_BEFORE_ISOLATION } from '@ugc/shared/outbox/outbox';
import type { Database } from '@ugc/shared/stores/postgres';
import { setTimeout as delay } from 'node:timers/promises';
import type { IndexDeps } from './target-indices.ts';
import type { Progress } from './fill.ts';

const POLL_EVERY_MS = 200;

/**
 * Waits until all changes that are pending now are acknowledged: the searched index may hold changes, from the time of
 * the swap, that the previous index lacks. Isolated items are left out because they may never be acknowledged; the swap
 * compares them itself.
 */
export async function waitUntilAcknowledged({ database, signal }: IndexDeps, progress: Progress): Promise<void> {
  const latest = await latestPending(database);
  const total = await countPendingUntil(database, latest);
  for (let waiting = total; waiting > 0; waiting = await countPendingUntil(database, latest)) {
    progress('Waiting for pending changes', total - waiting, total);
    await delay(POLL_EVERY_MS, undefined, { signal });
  }
}

/** As text, to keep microseconds. Includes the latest row because the clock may have been set back. */
async function latestPending(database: Database): Promise<string> {
  const [row] = await database.query<{ latest: string }>(
    `select greatest(clock_timestamp(), max(pending_since))::text as latest from index_outbox`,
  );
  return row?.latest ?? '';
}

async function countPendingUntil(database: Database, latest: string): Promise<number> {
  const [row] = await database.query<{ waiting: number }>(
    `select count(*) as waiting from index_outbox where rejected_reason is null and pending_since <= $1::timestamptz and claims <= $2`,
    [latest, CLAIMS_BEFORE_ISOLATION],
  );
  return row?.waiting ?? 0;
}
