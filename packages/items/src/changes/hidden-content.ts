import { HIDDEN_AT, rowIsHidden } from '@ugc/shared/contracts/hidden';
import { rowIsUnpublished } from '@ugc/shared/contracts/unpublished';
import { insertEmbeddingWork } from '@ugc/shared/embeddings/embedding-work';
import { markHidden, markPending } from '@ugc/shared/outbox/mark-pending';
import type { ItemRevision } from '@ugc/shared/outbox/states';
import type { Database, Tx } from '@ugc/shared/postgres/postgres';
import { z } from 'zod';
import { visibleText } from '../fields/text.ts';
import { Problem } from '../problems/problem.ts';
import { toTimestamp, type Hidden } from './content-item.ts';
import { noSuchContent } from './get-content.ts';
import { throwIfBroken } from './item-rules.ts';

export const Hiding = z
  .object({ reason: visibleText({ max: 1_000 }).describe('The creator reads it.') }, { error: 'must be a JSON object' })
  .meta({ id: 'Hiding' });

export function notModerator(): Problem {
  return new Problem(403, 'scope-missing', 'The token does not have the scope content:moderate, which hides items and shows them again.');
}

/** `isPending`: whether lists are to change: those have nothing of an item that its creator has not published for some time. */
type Changed = ItemRevision & { isPending: boolean };
/** `hasChanged`: whether the item was not in this state before. */
type Moderated = Changed & { hasChanged: boolean };

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
    return { ...(await readRevision(tx, contentId)), hasChanged: false };
  });
}

/** Lists may show what a creator has withdrawn until the change leaves the outbox. Nothing is pending of what never was public. */
const IS_PENDING = `exists (select from index_outbox o where o.content_id = c.content_id)`;

/** A draft, also one with a time, is its creator's own once no list shows it: it has no moderation. */
const IS_SEEN_BY_OTHERS = `(c.deleted_at = ${HIDDEN_AT} and exists (
  select from unpublished_content p where p.content_id = c.content_id and (p.kind <> 'draft' or ${IS_PENDING})))`;

/** Items that are to be hidden: those of `content c` that others may see, in lists or elsewhere, and that are not hidden. */
export const HIDEABLE = `(c.deleted_at is null or (${IS_SEEN_BY_OTHERS} and not ${rowIsHidden('c')}))`;

/** @throws Problem 404 */
export async function showContent(database: Database, contentId: number): Promise<Moderated> {
  return database.transaction(async (tx) => {
    const [shown] = await showItems(tx, [contentId]).catch(throwIfBroken);
    if (shown) return { ...shown, hasChanged: true };
    return { ...(await readRevision(tx, contentId)), hasChanged: false };
  });
}

/** Of an item that is shown, or hidden, or that a moderator might hide. */
async function readRevision({ query }: Tx, contentId: number): Promise<Changed> {
  const [row] = await query<Changed>(
    `select content_id, revision, (not ${rowIsUnpublished('c')} or ${IS_PENDING}) as is_pending from content c
     where content_id = $1 and (c.deleted_at is null or ${rowIsHidden('c')} or ${IS_SEEN_BY_OTHERS})`,
    [contentId],
  );
  if (!row) throw noSuchContent();
  return row;
}

/** `alsoDrafts`: those of an import, which may have been hidden elsewhere. */
type Note = { moderator: string | null; reason: string; byBlock: boolean; alsoDrafts?: boolean };

/**
 * Hides those of the items that others may see and that are not hidden. Their texts, thumbnails, ratings and counters stay.
 * What its creator has withdrawn a moment ago is a tombstone already; its change goes first from now on.
 * @returns all of them
 */
export async function hideItems(
  tx: Tx,
  contentIds: number[],
  { moderator, reason, byBlock, alsoDrafts = false }: Note,
): Promise<Changed[]> {
  // A statement of its own, so that the next one also sees a vector that was stored while this one waited.
  await tx.query('select from content where content_id = any($1) order by content_id for no key update', [contentIds]);
  const hidden = await tx.query<Changed>(
    `with chosen as (
       select c.content_id, c.creator_id, c.revision, c.deleted_at is null as was_public, ${IS_PENDING} as is_pending from content c
       where c.content_id = any($1::bigint[]) and ${alsoDrafts ? `not ${rowIsHidden('c')}` : HIDEABLE}
     ), hidden as (
       update content c set deleted_at = ${HIDDEN_AT}, revision = c.revision + 1
       from chosen where c.content_id = chosen.content_id and was_public returning c.content_id, c.revision
     ), noted as (
       insert into hidden_content (content_id, creator_id, hidden_by, reason, by_block)
       select content_id, creator_id, $2, $3, $4 from chosen
     ), work as (
       delete from embedding_work w using hidden where w.content_id = hidden.content_id
     ), vectors as (
       delete from embedding e using hidden where e.content_id = hidden.content_id
     )
     select content_id, coalesce(hidden.revision, chosen.revision) as revision, was_public or is_pending as is_pending
     from chosen left join hidden using (content_id)`,
    [contentIds, moderator, reason, byBlock],
  );
  const changed = hidden.filter(({ isPending }) => isPending);
  if (changed.length > 0) await markHidden(tx, changed);
  return hidden;
}

/** Shows those of the items that are hidden, as they were before: what its creator does not publish stays unpublished. */
export async function showItems(tx: Tx, contentIds: number[]): Promise<Changed[]> {
  // A statement of its own, so that the next one sees what its creator has changed meanwhile.
  await tx.query('select from content where content_id = any($1) order by content_id for no key update', [contentIds]);
  const shown = await tx.query<Changed>(
    `with chosen as (
       select c.content_id, c.revision, not ${rowIsUnpublished('c')} as is_public from content c
       where c.content_id = any($1::bigint[]) and c.deleted_at = ${HIDDEN_AT} and (${rowIsHidden('c')} or not ${rowIsUnpublished('c')})
     ), shown as (
       update content c set deleted_at = null, revision = c.revision + 1
       from chosen where c.content_id = chosen.content_id and is_public returning c.content_id, c.revision
     ), removed as (
       delete from hidden_content h using chosen where h.content_id = chosen.content_id
     ), work as (${insertEmbeddingWork('shown')})
     select content_id, coalesce(shown.revision, chosen.revision) as revision, is_public as is_pending
     from chosen left join shown using (content_id)`,
    [contentIds],
  );
  const changed = shown.filter(({ isPending }) => isPending);
  if (changed.length > 0) await markPending(tx, changed);
  return shown;
}

export function hidingOf({ hiddenAt, reason }: { hiddenAt: Date; reason: string }): Hidden {
  return { since: toTimestamp(hiddenAt), reason };
}
