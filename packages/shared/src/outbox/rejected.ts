import { countChanges, countRows, BULK_BATCH_SIZE, bulkBackpressure, type BackpressureOptions } from './backlog.ts';
import { anyOf, END_REJECTION, FREE_CLAIM, REJECTED, type ItemRevision } from './states.ts';
import type { Database, Query, Tx } from '../postgres/postgres.ts';

/** Elasticsearch does not accept the change. It remains until it is retried or dropped, or the item changes again. */
export type Rejected = { contentId: number; revision: number; since: Date; reason: string };

type Chosen = number[] | 'all';
type BulkOptions = BackpressureOptions & { progress?: ((done: number, total: number) => void) | undefined };

const LIST_LIMIT = 1_000;

export async function listRejected(database: Database, limit = LIST_LIMIT): Promise<Rejected[]> {
  return database.query<Rejected>(
    `/* outbox: list rejected */ select content_id, revision, pending_since as since, rejected_reason as reason
     from index_outbox where ${REJECTED} order by content_id limit $1`,
    [limit],
  );
}

const CHOSEN = `chosen as (
  select content_id from index_outbox
  where ${REJECTED} and ($1::bigint[] is null or content_id = any($1)) and content_id > $2
  order by content_id limit ${BULK_BATCH_SIZE} for update
)`;

/** @returns the ids of those that were rejected */
export async function retryRejected(database: Database, chosen: Chosen, options: BulkOptions = {}): Promise<number[]> {
  const waitForBacklog = chosen === 'all' ? bulkBackpressure(database, options) : undefined;
  return inBatches(database, chosen, { ...options, waitForBacklog }, (values) =>
    database.query(
      `/* outbox: retry rejected */ with ${CHOSEN}
       update index_outbox o set ${END_REJECTION}, due_at = clock_timestamp()
       where o.content_id = ${anyOf('chosen')} returning o.content_id`,
      values,
    ),
  );
}

/** The index keeps the items as they are until their next change. @returns the ids of those that were rejected */
export async function dropRejected(database: Database, chosen: Chosen, options: BulkOptions = {}): Promise<number[]> {
  return inBatches(database, chosen, options, (values) =>
    database.query(
      `/* outbox: drop rejected */ with ${CHOSEN},
       removed as (delete from index_outbox o where o.content_id = ${anyOf('chosen')}
         returning o.content_id, o.revision, o.rejected_reason)
       insert into index_dropped (content_id, revision, reason)
       select content_id, revision, rejected_reason from removed order by content_id
       on conflict (content_id) do update
       set revision = excluded.revision, reason = excluded.reason, dropped_at = excluded.dropped_at
       returning content_id`,
      values,
    ),
  );
}

type Batches = BulkOptions & { waitForBacklog?: (() => Promise<void>) | undefined };
type ChangeBatch = (values: [contentIds: number[] | null, afterContentId: number]) => Promise<{ contentId: number }[]>;

async function inBatches(database: Database, chosen: Chosen, options: Batches, change: ChangeBatch): Promise<number[]> {
  const { waitForBacklog, progress, signal } = options;
  const total = chosen === 'all' ? await countChanges(database, 'rejected') : chosen.length;
  const changed: number[] = [];
  for (let more = true; more;) {
    signal?.throwIfAborted();
    await waitForBacklog?.();
    const batch = await change([chosen === 'all' ? null : chosen, changed.at(-1) ?? 0]);
    changed.push(...batch.map((row) => row.contentId).toSorted((a, b) => a - b));
    progress?.(changed.length, Math.max(changed.length, total));
    more = batch.length === BULK_BATCH_SIZE;
  }
  return changed;
}

type Rejection = { contentId: number; revision: number; reason: string };

/** The acknowledgement has locked the rows. Items with a newer revision, or restored to an older one, remain pending. */
export async function rejectChanges(tx: Tx, rejections: Rejection[]): Promise<void> {
  await tx.query(
    `/* outbox: reject changes */ update index_outbox o
     set rejected_reason = w.reason, ${FREE_CLAIM}, claims = 0, due_at = clock_timestamp()
     from unnest($1::bigint[], $2::bigint[], $3::text[]) as w (content_id, revision, reason)
     where o.content_id = any($1::bigint[]) and o.content_id = w.content_id and o.revision <= w.revision
       and not exists (select from content c where c.content_id = w.content_id and c.revision < w.revision)`,
    [rejections.map((r) => r.contentId), rejections.map((r) => r.revision), rejections.map((r) => r.reason)],
  );
}

/** Marks an item that an index being filled rejects. Does nothing if the item has a newer revision by now. */
export async function rejectItem(database: Database, { contentId, revision, reason }: Rejection): Promise<void> {
  await database.query(
    `/* outbox: reject item */ insert into index_outbox as o (content_id, revision, rejected_reason)
     select content_id, revision, $3 from content where content_id = $1 and revision = $2
     on conflict (content_id) do update
     set rejected_reason = excluded.rejected_reason, ${FREE_CLAIM} where o.revision <= excluded.revision`,
    [contentId, revision, reason],
  );
}

/**
 * The table index_dropped holds the rejected changes that an operator dropped. A row counts only while the item has
 * that revision and has no row in index_outbox: the item's next change ends it, whichever release makes that change.
 */
const DROPPED = `index_dropped d join content c using (content_id, revision)
  where not exists (select from index_outbox o where o.content_id = c.content_id)`;

export async function isDropped(database: Database, contentId: number, revision: number): Promise<boolean> {
  const isThis = `c.content_id = $1 and c.revision = $2`;
  const rows = await database.query(`/* outbox: is dropped */ select from ${DROPPED} and ${isThis}`, [contentId, revision]);
  return rows.length > 0;
}

export async function countDropped(database: Database): Promise<number> {
  return countRows(database, `/* outbox: count dropped */ select count(*) from ${DROPPED}`);
}

export async function listDropped(database: Database, afterContentId: number, limit: number): Promise<ItemRevision[]> {
  return database.query<ItemRevision>(
    `/* outbox: list dropped */ select c.content_id, c.revision from ${DROPPED} and c.content_id > $1 order by c.content_id limit $2`,
    [afterContentId, limit],
  );
}

export async function forgetDropped(database: Database, accepted: ItemRevision[]): Promise<void> {
  await remove(
    database,
    `exists (select from unnest($1::bigint[], $2::bigint[]) as t (content_id, revision)
       where t.content_id = d.content_id and t.revision = d.revision)`,
    [accepted.map((item) => item.contentId), accepted.map((item) => item.revision)],
  );
}

/** Follows `markPending` in the transaction, as a drop locks the row of the outbox first. */
export async function forgetDroppedItems(tx: Tx, contentIds: number[]): Promise<void> {
  await remove(tx, `d.content_id = any($1::bigint[])`, [contentIds]);
}

/** Removes rows of items that have changed since they were dropped or no longer exist. */
export async function removeStaleDropped(database: Database): Promise<void> {
  await remove(
    database,
    `d.dropped_at < clock_timestamp() - interval '1 minute' and d.content_id not in (select c.content_id from ${DROPPED})`,
  );
}

// Locks in content_id order: the same items may be dropped at the same time.
async function remove({ query }: { query: Query }, where: string, values: unknown[] = []): Promise<void> {
  await query(
    `/* outbox: remove dropped */
     with chosen as (select d.content_id from index_dropped d where ${where} order by d.content_id for update)
     delete from index_dropped d using chosen where d.content_id = chosen.content_id`,
    values,
  );
}
