import { rowIsKept } from '@ugc/shared/contracts/hidden';
import type { ItemRevision } from '@ugc/shared/outbox/states';
import type { Database, Tx } from '@ugc/shared/postgres/postgres';
import { z } from 'zod';
import { visibleText } from '../fields/text.ts';
import { coded } from '../problems/error-codes.ts';
import { Problem } from '../problems/problem.ts';
import { readWithheld, SHOWN } from './change-content.ts';
import { editedSince, editsMatch } from './edits-match.ts';
import { noSuchContent } from './get-content.ts';
import { throwIfBroken } from './item-rules.ts';
import { moveUnpublished, publishItems } from './unpublished-content.ts';
import { isAsReviewed, planAfterReview, type Unpublished } from './visibility.ts';

export const Decision = z
  .object(
    {
      decision: z.enum(['publish', 'refuse'], { error: 'must be publish or refuse' }),
      reason: visibleText({ max: 1_000 }).optional().describe('Required with `refuse`. The creator reads it.'),
    },
    { error: 'must be a JSON object' },
  )
  .check(({ value: { decision, reason }, issues }) => {
    const add = (message: string, params = {}) => issues.push({ code: 'custom', path: ['reason'], message, params, input: reason });
    if (decision === 'refuse' && reason === undefined) add('is required with the decision refuse: the creator reads it', coded('required'));
    if (decision === 'publish' && reason !== undefined) add('is only for the decision refuse');
  })
  .meta({ id: 'ReviewDecision' });
export type Decision = z.output<typeof Decision>;

/** `hasChanged`: whether the item was in review. `isPending`: whether lists will show it. */
type Reviewed = ItemRevision & { hasChanged: boolean; isPending: boolean };

/** `ifMatch`: what the moderator has read; empty for any. `assertMayBePublished` refuses to publish for a blocked creator. */
type ReviewRequest = {
  contentId: number;
  decision: Decision;
  ifMatch: string;
  assertMayBePublished: (tx: Tx, creatorId: number) => Promise<void>;
};

/**
 * Publishes an item in review, at its time if that is still to come, or refuses it. A refused one stays in review, and the
 * next edit asks again.
 * @throws Problem 404 unless the item is in review, or as an earlier decision has left it · 409 if it is hidden · 412 if it was
 * edited since · 403 if it is to be published, and its creator is blocked
 */
export async function reviewContent(
  database: Database,
  { contentId, decision, ifMatch, assertMayBePublished }: ReviewRequest,
): Promise<Reviewed> {
  return database.transaction(async (tx) => {
    const item = await lockItem(tx, contentId);
    const { isHidden, unpublished } = item.isPublic ? SHOWN : await readWithheld(tx, contentId);
    if (isHidden) throw reviewOfHidden();
    const unchanged = { contentId, revision: item.revision, hasChanged: false, isPending: false };
    // The answer to an earlier decision was lost.
    if (decision.decision === 'publish' && isAsReviewed(unpublished)) return { ...unchanged, isPending: item.isPublic };
    if (unpublished?.kind !== 'review') throw noSuchContent();
    if (!editsMatch(ifMatch, item.edits)) throw editedSince();
    if (decision.decision === 'refuse') return { ...unchanged, hasChanged: await refuse(tx, contentId, decision.reason ?? '') };
    await assertMayBePublished(tx, item.creatorId);
    const moved = await publishReviewed(tx, contentId, { unpublished, now: item.now });
    return { ...unchanged, ...moved, hasChanged: true };
  });
}

export function reviewOfHidden(): Problem {
  return new Problem(409, 'item-hidden', 'A moderator has hidden this item, so nobody decides about its review until it is shown again.');
}

type ReviewedItem = { creatorId: number; revision: number; edits: number; isPublic: boolean; now: Date };

async function lockItem(tx: Tx, contentId: number): Promise<ReviewedItem> {
  const [item] = await tx.query<ReviewedItem>(
    `select creator_id, revision, edits, deleted_at is null as is_public, clock_timestamp() as now from content
     where content_id = $1 and ${rowIsKept('content')} for no key update`,
    [contentId],
  );
  if (!item) throw noSuchContent();
  return item;
}

async function publishReviewed(tx: Tx, contentId: number, { unpublished, now }: { unpublished: Unpublished; now: Date }) {
  const planned = planAfterReview(unpublished, now.getTime());
  const [moved] = planned ? await moveUnpublished(tx, contentId, planned) : await publishItems(tx, [contentId]).catch(throwIfBroken);
  if (!moved) throw new Error('the locked content row does not exist');
  return { revision: moved.revision, isPending: !planned };
}

/** @returns whether it was not refused before */
async function refuse(tx: Tx, contentId: number, reason: string): Promise<boolean> {
  const [row] = await tx.query<{ isNew: boolean }>(
    `update unpublished_content p set refused_at = coalesce(p.refused_at, clock_timestamp()), refused_reason = $2
     from unpublished_content before where p.content_id = $1 and before.content_id = $1 returning before.refused_at is null as is_new`,
    [contentId, reason],
  );
  return row?.isNew === true;
}
