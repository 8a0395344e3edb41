import type { Definitions } from '@ugc/fields/definition';
import { rowIsHidden, rowIsKept } from '@ugc/shared/contracts/hidden';
import { LATEST_USER_DOWNLOADS, STORED_CONTENT, type StoredContent } from '@ugc/shared/contracts/content';
import { addEmbeddingWork } from '@ugc/shared/embeddings/embedding-work';
import { markPending } from '@ugc/shared/outbox/mark-pending';
import type { ItemRevision } from '@ugc/shared/outbox/states';
import type { Database, Tx } from '@ugc/shared/postgres/postgres';
import { isDeepStrictEqual } from 'node:util';
import type { AuthenticatedUser } from '../account.ts';
import type { UploadLimits } from '../fields/limits.ts';
import { editedSince, editsMatch } from './edits-match.ts';
import { Problem } from '../problems/problem.ts';
import { noSuchContent } from './get-content.ts';
import { checkItem, throwIfBroken, type Checked } from './item-rules.ts';
import { removeThumbnail, storeThumbnail, thumbnailEquals } from './thumbnail-store.ts';
import { composeTexts, type Edit } from '../fields/upload-schema.ts';
import { AFTER_WRITTEN, WRITTEN_COLUMNS, WRITTEN_PARAMETERS, writtenValues } from './written-fields.ts';

/** `ifMatch` is the If-Match header; empty allows any entity tag. */
type ChangeRequest = { contentId: number; user: AuthenticatedUser; ifMatch: string };
type EditRequest = ChangeRequest & { limits: UploadLimits; declared: Definitions };

/** If no value differs, revision and `updatedAt` do not change. @throws Problem as `lockContent` · 400 if a rule is broken */
export async function editContent(database: Database, request: EditRequest, changes: Edit): Promise<StoredContent> {
  return database.transaction(async (tx) => {
    const { content: before, isHidden } = await lockContent(tx, request);
    if (isHidden) throw editOfHidden();
    const edit = composeTexts(changes);
    const picture = edit.thumbnail && !(await thumbnailEquals(tx, before.contentId, edit.thumbnail)) ? edit.thumbnail : undefined;
    const after = await storeEdit(tx, before, checkItem({ before, edit, picture }, request)).catch(throwIfBroken);
    if (!after) return before;
    await markPending(tx, [after]);
    if (!isDeepStrictEqual(embeddedTexts(after), embeddedTexts(before))) await addEmbeddingWork(tx, [after.contentId]);
    return after;
  });
}

export function notCreator(): Problem {
  return new Problem(403, 'not-creator', 'Only the creator of the item may change it.');
}

export function editOfHidden(): Problem {
  return new Problem(
    403,
    'item-hidden',
    'A moderator has hidden this item, so it cannot be edited until it is shown again. GET returns the reason.',
  );
}

function embeddedTexts({ name, tags, description }: StoredContent): unknown[] {
  return [name, tags, description];
}

type Updated = Pick<StoredContent, 'contentId' | 'latestDownloadsCount' | 'latestUserDownloads' | 'updatedAt' | 'edits' | 'revision'>;

/**
 * Stores what an edit changes of a locked item, which is to be marked pending then.
 * @param updatedAt the time of the edit, if it is not made now · @returns undefined if no value differs
 */
export async function storeEdit(
  tx: Tx,
  before: StoredContent,
  { thumbnail, ...fields }: Checked<Edit>,
  updatedAt = before.updatedAt,
): Promise<StoredContent | undefined> {
  const hasThumbnail = thumbnail === undefined ? before.hasThumbnail : thumbnail !== null;
  const after = { ...before, ...fields, hasThumbnail, updatedAt };
  const newThumbnail = thumbnail !== undefined && !(await thumbnailEquals(tx, before.contentId, thumbnail));
  if (!newThumbnail && isDeepStrictEqual(after, before)) return undefined;
  if (newThumbnail) await (thumbnail ? storeThumbnail(tx, before.contentId, thumbnail) : removeThumbnail(tx, before.contentId));
  const [updated] = await tx.query<Updated>(
    `update content c
     set (${WRITTEN_COLUMNS}) = (select w.*),
       latest_downloads_count = case when c.version = w.version then c.latest_downloads_count else 0 end,
       updated_at = greatest(c.created_at, coalesce(${AFTER_WRITTEN}::timestamptz, greatest(c.updated_at, clock_timestamp()))),
       edits = c.edits + 1, revision = c.revision + 1
     from (values (${WRITTEN_PARAMETERS})) as w (${WRITTEN_COLUMNS})
     where c.content_id = $1
     returning c.content_id, c.latest_downloads_count, ${LATEST_USER_DOWNLOADS} as latest_user_downloads, c.updated_at, c.edits, c.revision`,
    [before.contentId, ...writtenValues(after), updatedAt === before.updatedAt ? null : updatedAt],
  );
  if (!updated) throw new Error('the locked content row does not exist');
  return { ...after, ...updated };
}

/** Keeps the row as a tombstone until the purge, which also deletes the ratings: they can be too many for one request. */
export async function deleteContent(database: Database, request: ChangeRequest): Promise<ItemRevision> {
  return database.transaction(async (tx) => {
    const { content } = await lockContent(tx, request);
    const [deleted] = await eraseItems(tx, [content.contentId]);
    if (!deleted) throw new Error('the locked content row does not exist');
    await markPending(tx, [deleted]);
    return deleted;
  });
}

/** Makes tombstones of items that the transaction has locked. */
export async function eraseItems(tx: Tx, contentIds: number[]): Promise<ItemRevision[]> {
  const removed = ['hidden_content', 'content_thumbnail', 'embedding_work', 'embedding'];
  const removals = removed.map((table) => `from_${table} as (delete from ${table} where content_id = any($1::bigint[]))`);
  return tx.query<ItemRevision>(
    `with ${removals.join(', ')}
     update content
     set (${WRITTEN_COLUMNS}) = row(${WRITTEN_PARAMETERS}), downloads_count = 0, latest_downloads_count = 0, rating_sum = 0, rating_count = 0,
       deleted_at = now(), revision = revision + 1
     where content_id = any($1::bigint[]) returning content_id, revision`,
    [contentIds, ...writtenValues({})],
  );
}

type Locked = { content: StoredContent; isHidden: boolean };

/** @throws Problem 404 · 403 when the user may not change it · 412 when `ifMatch` does not match */
async function lockContent(tx: Tx, { contentId, user, ifMatch }: ChangeRequest): Promise<Locked> {
  const [row] = await tx.query<StoredContent & { isHidden: boolean }>(
    `select ${STORED_CONTENT}, coalesce(${rowIsHidden('c')}, false) as is_hidden from content c join users u on u.user_id = c.creator_id
     where c.content_id = $1 and ${rowIsKept('c')} for no key update of c`,
    [contentId],
  );
  if (!row) throw noSuchContent();
  const { isHidden, ...content } = row;
  const isOwn = content.creatorId === user.userId;
  if (isHidden && !isOwn) throw noSuchContent();
  if (!isOwn && !user.mayWriteForOthers) throw notCreator();
  if (!editsMatch(ifMatch, content.edits)) throw editedSince();
  return { content, isHidden };
}
