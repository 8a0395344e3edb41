import { HIDDEN_AT, rowIsHidden } from '@ugc/shared/contracts/hidden';
import type { StoredContent } from '@ugc/shared/contracts/content';
import { insertEmbeddingWork } from '@ugc/shared/embeddings/embedding-work';
import { markPending } from '@ugc/shared/outbox/mark-pending';
import type { Tx } from '@ugc/shared/postgres/postgres';
import { randomBytes } from 'node:crypto';
import { toTimestamp, type Marks } from './content-item.ts';
import { addHeat, WEIGHTS } from './popularity.ts';
import { planAfterReview, type Planned, type Unpublished } from './visibility.ts';

// The statements that make items public, or take them back. All of them need the lock of the row of `content`.

/** Columns of `unpublished_content p`. */
export const UNPUBLISHED = `p.kind, p.since, p.publish_at, p.may_publish, p.was_public, p.access_key, p.wants_unlisted, p.refused_at,
  p.refused_reason`;

const KEY_BYTES = 16;

export function newAccessKey(): string {
  return randomBytes(KEY_BYTES).toString('hex');
}

export async function readUnpublished({ query }: Pick<Tx, 'query'>, contentIds: number[]): Promise<Map<number, Unpublished>> {
  const rows = await query<Unpublished & { contentId: number }>(
    `select p.content_id, ${UNPUBLISHED} from unpublished_content p where p.content_id = any($1::bigint[])`,
    [contentIds],
  );
  return new Map(rows.map(({ contentId, ...unpublished }) => [contentId, unpublished]));
}

/** What a change of the visibility changes of the row of `content`. */
export type Moved = Pick<StoredContent, 'contentId' | 'revision' | 'edits' | 'createdAt' | 'updatedAt'>;
const MOVED = 'c.content_id, c.revision, c.edits, c.created_at, c.updated_at';

const FIRST_PUBLICATION = addHeat({ weight: `(case when w.was_public then 0 else ${WEIGHTS.published} end)` });

/**
 * Makes items public. Those that never were are new from now on: no list has had them, so no walk through a list has missed
 * them. What a moderator has hidden stays hidden.
 */
export async function publishItems(tx: Tx, contentIds: number[]): Promise<Moved[]> {
  if (contentIds.length === 0) return [];
  const removed = await tx.query<{ contentId: number; wasPublic: boolean }>(
    `delete from unpublished_content where content_id = any($1::bigint[]) returning content_id, was_public`,
    [contentIds],
  );
  const published = await tx.query<Moved>(
    `with published as (
       update content c set deleted_at = case when ${rowIsHidden('c')} then ${HIDDEN_AT}::timestamptz end,
         revision = c.revision + 1, edits = c.edits + 1,
         created_at = case when w.was_public then c.created_at else now() end,
         updated_at = case when w.was_public then c.updated_at else now() end,
         ${FIRST_PUBLICATION}
       from unnest($1::bigint[], $2::boolean[]) w (content_id, was_public)
       where c.content_id = w.content_id and c.deleted_at = ${HIDDEN_AT} returning ${MOVED}, c.deleted_at
     ), shown as (select content_id from published where deleted_at is null), work as (${insertEmbeddingWork('shown')})
     select ${MOVED} from published c`,
    [removed.map(({ contentId }) => contentId), removed.map(({ wasPublic }) => wasPublic)],
  );
  if (published.length > 0) await markPending(tx, published);
  return published;
}

/** Takes a public item out of the lists. Its document becomes a tombstone, by an ordinary change. */
export async function withdrawItem(tx: Tx, item: { contentId: number; creatorId: number }, planned: Planned): Promise<Moved[]> {
  await insertUnpublished(tx, [{ ...item, ...planned, wasPublic: true }]);
  const withdrawn = await tx.query<Moved>(
    `with work as (delete from embedding_work where content_id = $1), vectors as (delete from embedding where content_id = $1)
     update content c set deleted_at = ${HIDDEN_AT}, revision = c.revision + 1, edits = c.edits + 1
     where c.content_id = $1 and c.deleted_at is null returning ${MOVED}`,
    [item.contentId],
  );
  await markPending(tx, withdrawn);
  return withdrawn;
}

/** Makes another kind of an unpublished item, with a key if it becomes unlisted. The index has nothing of it. */
export async function moveUnpublished(tx: Tx, contentId: number, planned: Planned): Promise<Moved[]> {
  const { kind, publishAt, mayPublish, wantsUnlisted } = planned;
  await tx.query(
    `update unpublished_content p set kind = $2, publish_at = $3, may_publish = $4, wants_unlisted = $5,
       access_key = case when $2 = 'unlisted' then coalesce(p.access_key, $6) end,
       since = case when p.kind = $2 and $2 <> 'review' then p.since else clock_timestamp() end, refused_at = null, refused_reason = null
     where p.content_id = $1`,
    [contentId, kind, publishAt, mayPublish, wantsUnlisted, newAccessKey()],
  );
  return tx.query<Moved>(`update content c set edits = c.edits + 1 where c.content_id = $1 returning ${MOVED}`, [contentId]);
}

/** @returns the new key of an unlisted item, whose former one ends; undefined if the item is not unlisted */
export async function renewKey(tx: Tx, contentId: number): Promise<string | undefined> {
  const [row] = await tx.query<{ accessKey: string }>(
    `update unpublished_content set access_key = $2 where content_id = $1 and kind = 'unlisted' returning access_key`,
    [contentId, newAccessKey()],
  );
  return row?.accessKey;
}

/** An edit asks for another review. @param mayPublish whether what was edited may become public at its time without one */
export async function askAgain(tx: Tx, contentId: number, mayPublish = true): Promise<void> {
  await tx.query(
    `update unpublished_content set since = case when kind = 'review' then clock_timestamp() else since end,
       refused_at = null, refused_reason = null, may_publish = may_publish and $2
     where content_id = $1`,
    [contentId, mayPublish],
  );
}

/** A row of `unpublished_content`; what is missing has its default. */
export type NewRow = Planned & { contentId: number; creatorId: number } & Partial<Unpublished>;

export async function insertUnpublished(tx: Tx, rows: NewRow[]): Promise<void> {
  const values = rows.map((row) => ({
    content_id: row.contentId,
    creator_id: row.creatorId,
    kind: row.kind,
    since: row.since ?? new Date(),
    publish_at: row.publishAt,
    may_publish: row.mayPublish,
    was_public: row.wasPublic ?? false,
    access_key: row.kind === 'unlisted' ? (row.accessKey ?? newAccessKey()) : null,
    wants_unlisted: row.wantsUnlisted,
    refused_at: row.refusedAt ?? null,
    refused_reason: row.refusedReason ?? null,
  }));
  await tx.query(`insert into unpublished_content select * from json_populate_recordset(null::unpublished_content, $1::json)`, [
    JSON.stringify(values),
  ]);
}

type Marked = Pick<Unpublished, 'kind' | 'publishAt' | 'accessKey' | 'wantsUnlisted' | 'refusedAt' | 'refusedReason'>;

/** @param isOwn whether the creator reads the item, who may pass its key on; what is in review is read by moderators, too */
export function marksOf(item: Marked, isOwn: boolean): Marks {
  const { kind, publishAt, accessKey, refusedAt, refusedReason } = item;
  return {
    visibility: kind,
    ...(publishAt && (isOwn || kind === 'review') && { publishAt: toTimestamp(publishAt) }),
    ...(accessKey !== null && isOwn && { key: accessKey }),
    ...(kind === 'review' && { afterReview: afterReview(item) }),
    ...(refusedAt && refusedReason !== null && { refusal: { since: toTimestamp(refusedAt), reason: refusedReason } }),
  };
}

function afterReview(item: Marked): Marks['afterReview'] {
  return planAfterReview(item, Date.now())?.kind ?? 'public';
}
