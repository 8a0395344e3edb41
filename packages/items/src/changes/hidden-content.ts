import { HIDDEN_AT, rowIsHidden, rowIsKept } from '@ugc/shared/contracts/hidden';
import { STORED_CONTENT, STORED_SUMMARY, type StoredContent } from '@ugc/shared/contracts/content';
import { insertEmbeddingWork } from '@ugc/shared/embeddings/embedding-work';
import { markHidden, markPending } from '@ugc/shared/outbox/mark-pending';
import type { ItemRevision } from '@ugc/shared/outbox/states';
import type { Database, Tx } from '@ugc/shared/postgres/postgres';
import { z } from 'zod';
import { visibleText } from '../fields/text.ts';
import type { AuthenticatedUser } from '../account.ts';
import { Problem } from '../problems/problem.ts';
import { fromRow, toTimestamp, type ContentItem, type Hidden, type PublicDownloads } from './content-item.ts';
import { noSuchContent } from './get-content.ts';
import { throwIfBroken } from './item-rules.ts';

export const Hiding = z
  .object({ reason: visibleText({ max: 1_000 }).describe('The creator reads it.') }, { error: 'must be a JSON object' })
  .meta({ id: 'Hiding' });

export function notModerator(): Problem {
  return new Problem(403, 'scope-missing', 'The token does not have the scope content:moderate, which hides items and shows them again.');
}

/** `hasChanged`: whether the item was not in this state before. */
type Moderated = ItemRevision & { hasChanged: boolean };

/** @param moderator a user id, or the credential of an account without a user; null for an operator · @throws Problem 404 */
export async function hideContent(
  database: Database,
  contentId: number,
  { moderator, reason }: { moderator: string | null; reason: string },
): Promise<Moderated> {
  return database.transaction(async (tx) => {
    const [hidden] = await hideItems(tx, [contentId], { moderator, reason, byBlock: false });
    if (hidden) return { ...hidden, hasChanged: true };
    const again = `update hidden_content set reason = $2, hidden_by = $3, by_block = false where content_id = $1 returning 1`;
    if ((await tx.query(again, [contentId, reason, moderator])).length === 0) throw noSuchContent();
    return { contentId, revision: await readRevision(tx, contentId), hasChanged: false };
  });
}

/** @throws Problem 404 */
export async function showContent(database: Database, contentId: number): Promise<Moderated> {
  return database.transaction(async (tx) => {
    const [shown] = await showItems(tx, [contentId]).catch(throwIfBroken);
    if (shown) return { ...shown, hasChanged: true };
    return { contentId, revision: await readRevision(tx, contentId), hasChanged: false };
  });
}

async function readRevision({ query }: Tx, contentId: number): Promise<number> {
  const statement = `select revision from content where content_id = $1 and ${rowIsKept('content')}`;
  const [row] = await query<{ revision: number }>(statement, [contentId]);
  if (!row) throw noSuchContent();
  return row.revision;
}

/** Hides those of the items that are neither hidden nor deleted. Their texts, thumbnails, ratings and counters stay. */
export async function hideItems(
  tx: Tx,
  contentIds: number[],
  { moderator, reason, byBlock }: { moderator: string | null; reason: string; byBlock: boolean },
): Promise<ItemRevision[]> {
  // A statement of its own, so that the next one also sees a vector that was stored while this one waited.
  await tx.query('select from content where content_id = any($1) order by content_id for no key update', [contentIds]);
  const hidden = await tx.query<ItemRevision>(
    `with hidden as (
       update content set deleted_at = ${HIDDEN_AT}, revision = revision + 1
       where content_id = any($1::bigint[]) and deleted_at is null returning content_id, creator_id, revision
     ), noted as (
       insert into hidden_content (content_id, creator_id, hidden_by, reason, by_block)
       select content_id, creator_id, $2, $3, $4 from hidden
     ), work as (
       delete from embedding_work w using hidden where w.content_id = hidden.content_id
     ), vectors as (
       delete from embedding e using hidden where e.content_id = hidden.content_id
     )
     select content_id, revision from hidden`,
    [contentIds, moderator, reason, byBlock],
  );
  if (hidden.length > 0) await markHidden(tx, hidden);
  return hidden;
}

/** Shows those of the items that are hidden, as they were before. */
export async function showItems(tx: Tx, contentIds: number[]): Promise<ItemRevision[]> {
  const shown = await tx.query<ItemRevision>(
    `with chosen as (
       select content_id from content where content_id = any($1::bigint[]) and ${rowIsHidden('content')}
       order by content_id for no key update
     ), shown as (
       update content c set deleted_at = null, revision = revision + 1
       from chosen where c.content_id = chosen.content_id returning c.content_id, c.revision
     ), removed as (
       delete from hidden_content h using shown where h.content_id = shown.content_id
     ), work as (${insertEmbeddingWork('shown')})
     select content_id, revision from shown`,
    [contentIds],
  );
  if (shown.length > 0) await markPending(tx, shown);
  return shown;
}

/** The user whose request reads a hidden item: its creator or a moderator. */
type Reader = Pick<AuthenticatedUser, 'userId' | 'account' | 'mayModerate'>;

/** Reads nothing but the entry of a hidden item, unless the reader may see it. The first parameter is the id of the item. */
const MAY_READ = `h.content_id = $1 and ($2 or h.creator_id = $3 or h.creator_id = (select user_id from users where credential collate "C" = $4))`;

export type HiddenRow = StoredContent & { hiddenAt: Date; reason: string };
/** Columns of `hidden_content h`, `content c` and `users u`. */
const HIDDEN_CONTENT = `${STORED_CONTENT}, h.hidden_at, h.reason`;
export const HIDDEN_SUMMARY = `${STORED_SUMMARY}, h.hidden_at, h.reason`;

const GET_HIDDEN = {
  name: 'get-hidden-content',
  text: `select ${HIDDEN_CONTENT} from hidden_content h
    join content c on c.content_id = h.content_id join users u on u.user_id = c.creator_id where ${MAY_READ}`,
};

/** @returns undefined unless the item is hidden and its creator or a moderator reads it */
export async function getHiddenContent(database: Database, contentId: number, reader: Reader): Promise<HiddenRow | undefined> {
  const [row] = await database.query<HiddenRow>(GET_HIDDEN, parametersOf(contentId, reader));
  return row;
}

const GET_HIDDEN_THUMBNAIL = {
  name: 'get-hidden-thumbnail',
  text: `select t.media_type, t.bytes from hidden_content h join content_thumbnail t on t.content_id = h.content_id where ${MAY_READ}`,
};

/** @returns undefined unless the item is hidden, has a thumbnail, and its creator or a moderator reads it */
export async function getHiddenThumbnail(database: Database, contentId: number, reader: Reader) {
  const [row] = await database.query<{ mediaType: string; bytes: Buffer }>(GET_HIDDEN_THUMBNAIL, parametersOf(contentId, reader));
  return row;
}

function parametersOf(contentId: number, { userId, account, mayModerate }: Reader): unknown[] {
  return [contentId, mayModerate, userId ?? null, account?.credential ?? null];
}

export function toHiddenItem(row: HiddenRow, downloads: PublicDownloads): ContentItem {
  return { ...fromRow(row, downloads), hidden: hidingOf(row) };
}

export function hidingOf({ hiddenAt, reason }: Pick<HiddenRow, 'hiddenAt' | 'reason'>): Hidden {
  return { since: toTimestamp(hiddenAt), reason };
}
