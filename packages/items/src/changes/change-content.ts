import type { Definitions } from '@ugc/fields/definition';
import { rowIsHidden, rowIsKept } from '@ugc/shared/contracts/hidden';
import { LATEST_USER_DOWNLOADS, STORED_CONTENT, type StoredContent } from '@ugc/shared/contracts/content';
import { nextRevision, rowWasNeverPublic } from '@ugc/shared/contracts/unpublished';
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
import { composeTexts, type Edit, type EditBody } from '../fields/upload-schema.ts';
import type { Asked } from '../fields/visibility-fields.ts';
import { askAgain, moveUnpublished, publishItems, readUnpublished, withdrawItem, type Moved } from './unpublished-content.ts';
import { asksVisibility, planVisibility, type Planned, type Unpublished } from './visibility.ts';
import { AFTER_WRITTEN, WRITTEN_COLUMNS, WRITTEN_PARAMETERS, writtenValues } from './written-fields.ts';

/** `ifMatch` is the If-Match header; empty allows any entity tag. */
type ChangeRequest = { contentId: number; user: AuthenticatedUser; ifMatch: string };
/** `mayPublish`: whether the token publishes without a review. `assertMayWrite` refuses to publish for a blocked creator. */
type EditRequest = ChangeRequest & {
  limits: UploadLimits;
  declared: Definitions;
  mayPublish?: boolean;
  assertMayWrite?: (creator: { userId: number }) => Promise<void>;
};

/** `isPending`: whether lists are to show the item, or to stop showing it. */
export type Edited = { row: StoredContent; unpublished: Unpublished | undefined; isPending: boolean };

/**
 * If no value differs, revision and `updatedAt` do not change.
 * @throws Problem as `lockContent` · 400 if a rule is broken · 403 if a moderator has hidden the item, or reviews it,
 * or if it is not public and its creator is blocked
 */
export async function editContent(database: Database, request: EditRequest, changes: EditBody): Promise<Edited> {
  return database.transaction(async (tx) => {
    const { content: before, isHidden, unpublished } = await lockContent(tx, request);
    if (isHidden) throw editOfHidden();
    const { visibility, publishAt, ...edit } = composeTexts(changes);
    const asked = { visibility, publishAt };
    if (unpublished) await assertMayMove(asked, before, request);
    const edited = await editLocked(tx, before, edit, request);
    const stored = await unpublishedAfter(tx, edited, unpublished);
    const move = planMove(asked, stored, request.mayPublish);
    const moved = await moveItem(tx, before, { unpublished: stored, ...move });
    if (edited && !moved && edited.revision > before.revision) await markPending(tx, [edited]);
    const row = { ...before, ...edited, ...moved };
    if (!move && !unpublished) return { row, unpublished, isPending: true };
    const now = (await readUnpublished(tx, [row.contentId])).get(row.contentId);
    return { row, unpublished: now, isPending: now === undefined || row.revision > before.revision };
  });
}

/** Nobody publishes for a blocked user, as nobody uploads. @throws as `assertMayWrite` */
async function assertMayMove(asked: Asked, { creatorId }: StoredContent, { user, assertMayWrite }: EditRequest): Promise<void> {
  if (asksVisibility(asked) && creatorId !== user.userId) await assertMayWrite?.({ userId: creatorId });
}

/** What an edit takes from the right to publish, a move in the same request must not give back. */
async function unpublishedAfter(tx: Tx, edited: StoredContent | undefined, unpublished: Unpublished | undefined) {
  return edited && unpublished ? (await readUnpublished(tx, [edited.contentId])).get(edited.contentId) : unpublished;
}

type Move = { planned: Planned | undefined };

/** @returns undefined if the request says nothing about who sees the item; else `planned` is undefined for a public one */
function planMove(asked: Asked, unpublished: Unpublished | undefined, mayPublish = true): Move | undefined {
  return asksVisibility(asked) ? { planned: planVisibility(asked, unpublished, { mayPublish }) } : undefined;
}

async function editLocked(tx: Tx, before: StoredContent, edit: Edit, rules: EditRequest): Promise<StoredContent | undefined> {
  const picture = edit.thumbnail && !(await thumbnailEquals(tx, before.contentId, edit.thumbnail)) ? edit.thumbnail : undefined;
  const after = await storeEdit(tx, before, checkItem({ before, edit, picture }, rules)).catch(throwIfBroken);
  // The index has nothing of an unpublished item.
  if (after?.revision === before.revision) await askAgain(tx, before.contentId, rules.mayPublish);
  if (!after || after.revision === before.revision) return after;
  if (!isDeepStrictEqual(embeddedTexts(after), embeddedTexts(before))) await addEmbeddingWork(tx, [after.contentId]);
  return after;
}

/** @returns undefined if the item is already seen as it is planned */
async function moveItem(
  tx: Tx,
  item: StoredContent,
  { unpublished, ...move }: { unpublished: Unpublished | undefined } & Partial<Move>,
): Promise<Moved | undefined> {
  if (!('planned' in move)) return undefined;
  const { planned } = move;
  if (!planned) return unpublished && (await publishItems(tx, [item.contentId]).catch(throwIfBroken))[0];
  if (!unpublished) return (await withdrawItem(tx, item, planned))[0];
  if (isDeepStrictEqual(planned, plannedOf(unpublished)) && !unpublished.refusedAt) return undefined;
  return (await moveUnpublished(tx, item.contentId, planned))[0];
}

function plannedOf({ kind, publishAt, mayPublish, wantsUnlisted }: Unpublished): Planned {
  return { kind, publishAt, mayPublish, wantsUnlisted };
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
       edits = c.edits + 1, revision = ${nextRevision('c')}
     from (values (${WRITTEN_PARAMETERS})) as w (${WRITTEN_COLUMNS})
     where c.content_id = $1
     returning c.content_id, c.latest_downloads_count, ${LATEST_USER_DOWNLOADS} as latest_user_downloads, c.updated_at, c.edits, c.revision`,
    [before.contentId, ...writtenValues(after), updatedAt === before.updatedAt ? null : updatedAt],
  );
  if (!updated) throw new Error('the locked content row does not exist');
  return { ...after, ...updated };
}

/**
 * Keeps the row as a tombstone until the purge, which also deletes the ratings: they can be too many for one request.
 * @returns `isPending`: whether an index may have the item
 */
export async function deleteContent(database: Database, request: ChangeRequest): Promise<ItemRevision & { isPending: boolean }> {
  return database.transaction(async (tx) => {
    const { content } = await lockContent(tx, request);
    const { deleted, pending } = await eraseItems(tx, [content.contentId]);
    if (!deleted[0]) throw new Error('the locked content row does not exist');
    await markPending(tx, pending);
    return { ...deleted[0], isPending: pending.length > 0 };
  });
}

/** `pending`: those of the deleted items that an index may have, which are to be marked pending then. */
export type Erased = { deleted: ItemRevision[]; pending: ItemRevision[] };

/** Makes tombstones of items that the transaction has locked. A trigger removes their rows of `unpublished_content`. */
export async function eraseItems(tx: Tx, contentIds: number[]): Promise<Erased> {
  const removed = ['hidden_content', 'content_thumbnail', 'embedding_work', 'embedding'];
  const removals = removed.map((table) => `from_${table} as (delete from ${table} where content_id = any($1::bigint[]))`);
  const rows = await tx.query<ItemRevision & { wasNeverPublic: boolean }>(
    `with ${removals.join(', ')}, unknown as (
       select c.content_id from content c where c.content_id = any($1::bigint[]) and ${rowWasNeverPublic('c')}
     )
     update content c
     set (${WRITTEN_COLUMNS}) = row(${WRITTEN_PARAMETERS}), downloads_count = 0, latest_downloads_count = 0, rating_sum = 0, rating_count = 0,
       deleted_at = now(), revision = revision + 1
     where content_id = any($1::bigint[])
     returning c.content_id, c.revision, c.content_id in (select content_id from unknown) as was_never_public`,
    [contentIds, ...writtenValues({})],
  );
  const deleted = rows.map(({ contentId, revision }) => ({ contentId, revision }));
  return { deleted, pending: deleted.filter((_, at) => rows[at]?.wasNeverPublic === false) };
}

type Locked = { content: StoredContent; isHidden: boolean; unpublished: Unpublished | undefined };

/** @throws Problem 404 · 403 when the user may not change it · 412 when `ifMatch` does not match */
export async function lockContent(tx: Tx, { contentId, user, ifMatch }: ChangeRequest): Promise<Locked> {
  const [row] = await tx.query<StoredContent & { isPublic: boolean }>(
    `select ${STORED_CONTENT}, c.deleted_at is null as is_public from content c join users u on u.user_id = c.creator_id
     where c.content_id = $1 and ${rowIsKept('c')} for no key update of c`,
    [contentId],
  );
  if (!row) throw noSuchContent();
  const { isPublic, ...content } = row;
  const isOwn = content.creatorId === user.userId;
  const mayChange = isOwn || user.mayWriteForOthers;
  if (!mayChange) throw isPublic ? notCreator() : noSuchContent();
  const withheld = isPublic ? SHOWN : await readWithheld(tx, contentId);
  // What a moderator has hidden is for its creator alone.
  if (withheld.isHidden && !isOwn) throw noSuchContent();
  if (!editsMatch(ifMatch, content.edits)) throw editedSince();
  return { content, ...withheld };
}

/** Of a public item. */
export const SHOWN = { isHidden: false, unpublished: undefined };

/** A statement of its own, so that it sees what the change before has left, for which the lock has waited. */
export async function readWithheld(tx: Tx, contentId: number): Promise<Omit<Locked, 'content'>> {
  const select = `select from content c where c.content_id = $1 and ${rowIsHidden('c')}`;
  const hidden = await tx.query(select, [contentId]);
  const unpublished = (await readUnpublished(tx, [contentId])).get(contentId);
  return { isHidden: hidden.length > 0 || !unpublished, unpublished };
}
