import { BULK_BATCH_SIZE, bulkBackpressure, type BackpressureOptions } from './backpressure.ts';
import type { Database } from '../stores/postgres.ts';

/** Changes that Elasticsearch refused for the document's own fault. They wait in the outbox for a person, or for the next change. */
export type Rejected = { contentId: number; revision: number; since: Date; reason: string };

export type Chosen = number[] | 'all';
export type BulkOptions = BackpressureOptions & { progress?: ((done: number, total: number) => void) | undefined };

const LISTED_AT_MOST = 1_000;

/** The first thousand, by item. */
export async function listRejected(database: Database): Promise<Rejected[]> {
  return database.query<Rejected>(
    `select content_id as "contentId", revision, pending_since as since, rejected_reason as reason
     from index_outbox where rejected_reason is not null order by content_id limit ${LISTED_AT_MOST}`,
  );
}

export async function countRejected(database: Database): Promise<number> {
  const [row] = await database.query<{ count: number }>(`select count(*) from index_outbox where rejected_reason is not null`);
  return row?.count ?? 0;
}

// Locked in content_id order, as everywhere, so that a rename of the same items never waits in a circle with this.
const CHOSEN = `chosen as (
  select content_id from index_outbox
  where rejected_reason is not null and ($1::bigint[] is null or content_id = any($1)) and content_id > $2
  order by content_id limit ${BULK_BATCH_SIZE} for update
)`;

/** Hands them out again, all of them at the pace of bulk work. @returns the ids of those that were rejected */
export async function retryRejected(database: Database, chosen: Chosen, options: BulkOptions = {}): Promise<number[]> {
  const turn = chosen === 'all' ? bulkBackpressure(database, options) : undefined;
  return inBatches(database, chosen, { ...options, turn }, (values) =>
    database.query(
      `with ${CHOSEN}
       update index_outbox o set rejected_reason = null, due_at = clock_timestamp()
       from chosen where o.content_id = chosen.content_id returning o.content_id`,
      values,
    ),
  );
}

/**
 * Gives up these changes; the items stay as they are in the index until their next change. What was dropped is remembered, so that
 * neither an audit nor a rebuild takes it for a fault.
 * @returns the ids of those that were rejected
 */
export async function dropRejected(database: Database, chosen: Chosen, options: BulkOptions = {}): Promise<number[]> {
  return inBatches(database, chosen, options, (values) =>
    database.query(
      `with ${CHOSEN},
       gone as (delete from index_outbox o using chosen where o.content_id = chosen.content_id
         returning o.content_id, o.revision, o.rejected_reason)
       insert into index_dropped (content_id, revision, reason)
       select content_id, revision, rejected_reason from gone order by content_id
       on conflict (content_id) do update
       set revision = excluded.revision, reason = excluded.reason, dropped_at = excluded.dropped_at
       returning content_id`,
      values,
    ),
  );
}

type Batches = BulkOptions & { turn?: (() => Promise<void>) | undefined };
type ChangeBatch = (values: [contentIds: number[] | null, afterContentId: number]) => Promise<{ content_id: number }[]>;

async function inBatches(database: Database, chosen: Chosen, { turn, progress, signal }: Batches, change: ChangeBatch): Promise<number[]> {
  const total = chosen === 'all' ? await countRejected(database) : chosen.length;
  const changed: number[] = [];
  for (let more = true; more;) {
    signal?.throwIfAborted();
    await turn?.();
    const batch = await change([chosen === 'all' ? null : chosen, changed.at(-1) ?? 0]);
    changed.push(...batch.map((row) => row.content_id).toSorted((a, b) => a - b));
    progress?.(changed.length, Math.max(changed.length, total));
    more = batch.length === BULK_BATCH_SIZE;
  }
  return changed;
}
