import { CLAIMED, CLAIMS_BEFORE_ISOLATION, NOT_REJECTED, REJECTED, UNCLAIMED } from './states.ts';
import type { Database } from '../postgres/postgres.ts';
import { setTimeout as delay } from 'node:timers/promises';

/** Pending counts include claimed rows. The age is null when nothing is pending. */
export type Backlog = { pending: number; rejected: number; oldestPendingSeconds: number | null };

/** Reads the whole table: 0.7 s for a million rows on a busy PostgreSQL. No age is negative after its clock was set back. */
export async function readBacklog(database: Database): Promise<Backlog> {
  const [backlog] = await database.query<Backlog>(
    `/* outbox: read backlog */ select count(*) filter (where ${NOT_REJECTED}) as pending,
       count(*) filter (where ${REJECTED}) as rejected,
       extract(epoch from clock_timestamp() - min(least(pending_since, statement_timestamp())) filter (where ${NOT_REJECTED}))::float8 as oldest_pending_seconds
     from index_outbox`,
  );
  return backlog ?? { pending: 0, rejected: 0, oldestPendingSeconds: null };
}

const CONDITIONS = { pending: NOT_REJECTED, claimed: CLAIMED, rejected: REJECTED };

export async function countChanges(database: Database, state: keyof typeof CONDITIONS): Promise<number> {
  return countRows(database, `/* outbox: count ${state} */ select count(*) from index_outbox where ${CONDITIONS[state]}`);
}

/** Each of the two states has a partial index without rejected rows. */
export async function countPendingUpTo(database: Pick<Database, 'query'>, limit: number): Promise<number> {
  return countRows(
    database,
    `/* outbox: count pending up to a limit */ select count(*) from (
       (select from index_outbox where ${UNCLAIMED} limit $1)
       union all (select from index_outbox where ${CLAIMED} limit $1)
     ) as o`,
    [limit],
  );
}

export async function countInOutboxOf(database: Pick<Database, 'query'>, creatorId: number): Promise<number> {
  const items = `index_outbox o join content c on c.content_id = o.content_id`;
  return countRows(database, `/* outbox: count rows of a creator */ select count(*) from ${items} where c.creator_id = $1`, [creatorId]);
}

/** Not the clock alone: it may have been set back. @returns a timestamp as text, which keeps the microseconds */
export async function latestPendingSince(database: Database): Promise<string> {
  const [row] = await database.query<{ latest: string }>(
    `/* outbox: latest pending since */ select greatest(clock_timestamp(), max(pending_since))::text as latest from index_outbox`,
  );
  return row?.latest ?? '';
}

/** Counts what became pending by `latest`, except isolated items: they may never be acknowledged. */
export async function countPendingSince(database: Database, latest: string): Promise<number> {
  return countRows(
    database,
    `/* outbox: count pending since */ select count(*) from index_outbox
     where ${NOT_REJECTED} and pending_since <= $1::timestamptz and claims <= $2`,
    [latest, CLAIMS_BEFORE_ISOLATION],
  );
}

export async function countRows(database: Pick<Database, 'query'>, count: string, values?: unknown[]): Promise<number> {
  const [row] = await database.query<{ count: number }>(count, values);
  return row?.count ?? 0;
}

export const BULK_BATCH_SIZE = 500;
export const BULK_PENDING_LIMIT = 1_000;

const POLL_EVERY_MS = 100;

/** `maxWaitMs`: the longest wait before a batch, with its rest, however many changes are pending. Without `rests`: at full pace. */
export type BackpressureOptions = { maxWaitMs?: number | undefined; signal?: AbortSignal | undefined; rests?: boolean };

/**
 * Limits how far a rename, a repair or a retry of many items delays later changes: to BULK_PENDING_LIMIT +
 * BULK_BATCH_SIZE changes ahead of them. Lists, which share processors with the indexing, get half of the time: when so many
 * changes are pending, the bulk work waits until most are indexed, and then as long again as it has taken since its last rest.
 * @returns a function that resolves when the next batch may be added
 */
export function bulkBackpressure(
  database: Pick<Database, 'query'>,
  { maxWaitMs = 10_000, signal, rests = true }: BackpressureOptions = {},
): () => Promise<void> {
  let restedAtMs = performance.now();
  const isPending = async (changes: number): Promise<boolean> => (await countPendingUpTo(database, changes)) >= changes;
  return async () => {
    const deadline = performance.now() + maxWaitMs;
    if (!(await isPending(BULK_PENDING_LIMIT))) return;
    while (performance.now() < deadline && (await isPending(BULK_BATCH_SIZE))) await delay(POLL_EVERY_MS, undefined, { signal });
    const now = performance.now();
    if (rests && now < deadline) await delay(Math.min(now - restedAtMs, deadline - now), undefined, { signal });
    restedAtMs = performance.now();
  };
}
