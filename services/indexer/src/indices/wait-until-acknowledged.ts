import { CLAIMS_BEFORE_ISOLATION } from '@ugc/shared/outbox/outbox';
import type { Database } from '@ugc/shared/stores/postgres';
import { setTimeout as delay } from 'node:timers/promises';
import type { IndexDeps } from './indices.ts';
import type { Progress } from './fill.ts';

const LOOK_EVERY_MS = 200;

/**
 * Waits for all changes that are pending now: until then the searched index may hold some, of the moment of the swap, that the
 * previous one has not taken yet. A change whose jobs all end without an answer may never be: the swap compares those itself.
 */
export async function waitUntilAcknowledged({ database, signal }: IndexDeps, progress: Progress): Promise<void> {
  const latest = await latestPending(database);
  const total = await countPendingUntil(database, latest);
  for (let waiting = total; waiting > 0; waiting = await countPendingUntil(database, latest)) {
    progress('Waiting for changes under way', total - waiting, total);
    await delay(LOOK_EVERY_MS, undefined, { signal });
  }
}

/** As text, which keeps the microseconds. Not by the clock alone: it may have been set back since. */
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
