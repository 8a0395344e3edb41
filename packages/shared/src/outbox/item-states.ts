import { CLAIMS_BEFORE_ISOLATION, NOT_REJECTED, CLAIMED } from './states.ts';
import type { Database } from '../postgres/postgres.ts';

export type ItemStatus = {
  creatorId: number;
  revision: number;
  inOutbox: boolean;
  rejectedReason: string | null;
  droppedReason: string | null;
  /** Since when a change is pending or rejected, or when it was dropped; null for an indexed item. */
  since: Date | null;
};

/** @returns undefined when the item does not exist or is deleted */
export async function readItemStatus(database: Database, contentId: number): Promise<ItemStatus | undefined> {
  const [row] = await database.query<ItemStatus>(
    `/* outbox: read item status */
     select c.creator_id, c.revision, o.content_id is not null as in_outbox, o.rejected_reason, d.reason as dropped_reason,
       coalesce(o.pending_since, d.dropped_at) as since
     from content c left join index_outbox o using (content_id)
       left join index_dropped d on d.content_id = c.content_id and d.revision = c.revision
     where c.content_id = $1 and c.deleted_at is null`,
    [contentId],
  );
  return row;
}

/**
 * `revision`: null without an item. `outboxRevision`: that of the row in the outbox, also of a rejected one.
 * `indexedRevision`: the newest one that was indexed while a newer one was pending, null before that.
 */
export type ItemState = {
  contentId: number;
  revision: number | null;
  deleted: boolean;
  inOutbox: boolean;
  outboxRevision: number | null;
  indexedRevision: number | null;
  rejectedReason: string | null;
  dropped: boolean;
};

export function readItemStates(database: Database, contentIds: number[]): Promise<ItemState[]> {
  return database.query<ItemState>(
    `/* outbox: read item states */
     select id as content_id, c.revision, c.deleted_at is not null as deleted, o.content_id is not null as in_outbox,
       o.revision as outbox_revision, o.indexed_revision, o.rejected_reason, d.content_id is not null as dropped
     from unnest($1::bigint[]) as id left join content c on c.content_id = id left join index_outbox o on o.content_id = id
       left join index_dropped d on d.content_id = id and d.revision = c.revision`,
    [contentIds],
  );
}

/** @returns undefined without a row; `pending` also when only an older revision is rejected */
export async function readState(database: Database, contentId: number, revision: number): Promise<'pending' | 'rejected' | undefined> {
  const [row] = await database.query<{ rejected: boolean }>(
    `/* outbox: read state */
     select rejected_reason is not null and revision >= $2 as rejected from index_outbox where content_id = $1`,
    [contentId, revision],
  );
  return row && (row.rejected ? 'rejected' : 'pending');
}

/** The lateral join reads one entry of the primary key for each item. */
export async function listItemsInOutbox(database: Database, contentIds: number[]): Promise<Set<number>> {
  const select = `/* outbox: list items in outbox */ select o.content_id from unnest($1::bigint[]) as id
    cross join lateral (select content_id from index_outbox where content_id = id limit 1) o`;
  const rows = await database.query<{ contentId: number }>(select, [contentIds]);
  return new Set(rows.map((row) => row.contentId));
}

export type UnacknowledgedItem = { contentId: number; isolated: boolean };

/** Claimed items, and those that were claimed by jobs that ended without an acknowledgement, in the order of their ids. */
export function listUnacknowledgedItems(database: Database, afterContentId: number, limit: number): Promise<UnacknowledgedItem[]> {
  return database.query<UnacknowledgedItem>(
    `/* outbox: list unacknowledged items */ select content_id, claims >= ${CLAIMS_BEFORE_ISOLATION} as isolated from index_outbox
     where content_id > $1 and claims > 0 and ${NOT_REJECTED} order by content_id limit $2`,
    [afterContentId, limit],
  );
}

/** An item whose own jobs ended without an acknowledgement, so that it perhaps crashes the indexers. */
type IsolatedItem = { contentId: number; claims: number; pendingSeconds: number };

/** Reads the whole table. @returns the items that have been pending for longest */
export function listLongestIsolated(database: Database, limit: number): Promise<IsolatedItem[]> {
  return database.query<IsolatedItem>(
    `/* outbox: list longest isolated */
     select content_id, claims, greatest(0, extract(epoch from clock_timestamp() - pending_since))::float8 as pending_seconds
     from index_outbox where claims > $1 and ${NOT_REJECTED} order by pending_since limit $2`,
    [CLAIMS_BEFORE_ISOLATION, limit],
  );
}

/** `ofJobs`: the number of all jobs that are as old, of which this is one. */
type OldJob = { jobId: string; items: number; claimedSeconds: number; ofJobs: number };

/** @returns the jobs without an acknowledgement that are older than `olderThanSeconds`, the oldest first */
export function listOldJobs(database: Database, olderThanSeconds: number, limit: number): Promise<OldJob[]> {
  return database.query<OldJob>(
    `/* outbox: list old jobs */
     select job_id, count(*) as items, count(*) over () as of_jobs,
       extract(epoch from clock_timestamp() - min(claimed_at))::float8 as claimed_seconds
     from index_outbox where ${CLAIMED} group by job_id
     having min(claimed_at) < clock_timestamp() - $1 * interval '1 second'
     order by min(claimed_at) limit $2`,
    [olderThanSeconds, limit],
  );
}
