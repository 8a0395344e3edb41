import { STORED_CONTENT, type StoredContent } from '@ugc/shared/contracts/content';
import type { Tx } from '@ugc/shared/stores/postgres';
import type { AuthenticatedUser } from '../auth/claims.ts';
import { Problem } from '../http/problem.ts';
import { editedSince, editsMatch } from '../http/entity-tag.ts';
import { noSuchContent } from './get-content.ts';

/** `ifMatch` is the If-Match header; empty allows any entity tag. */
export type ChangeRequest = { contentId: number; user: AuthenticatedUser; ifMatch: string };

/**
 * Locks an item until the end of the transaction.
 * @throws Problem 404 · 403 when the user may not change it · 412 when `ifMatch` does not match
 */
export async function lockContent(tx: Tx, { contentId, user, ifMatch }: ChangeRequest): Promise<StoredContent> {
  const [row] = await tx.query<StoredContent>(
    `select ${STORED_CONTENT} from content c join users u on u.user_id = c.creator_id
     where c.content_id = $1 and c.deleted_at is null for no key update of c`,
    [contentId],
  );
  if (!row) throw noSuchContent();
  if (row.creatorId !== user.userId && !user.mayWriteForOthers) throw new Problem(403, 'Only the creator of the item may change it.');
  if (!editsMatch(ifMatch, row.edits)) throw editedSince();
  return row;
}
