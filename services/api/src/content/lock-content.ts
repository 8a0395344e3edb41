import { STORED_CONTENT, type StoredContent } from '@ugc/shared/contracts/content';
import type { Tx } from '@ugc/shared/stores/postgres';
import type { AuthenticatedUser } from '../auth/claims.ts';
import { Problem } from '../http/problem.ts';
import { editsMatch } from '../http/entity-tag.ts';
import { noSuchContent } from './get-content.ts';

/** Who wants to change an item, and the entity tags (`If-Match`) that it must still have; empty for any. */
export type ChangeRequest = { contentId: number; user: AuthenticatedUser; ifMatch: string };

/**
 * Locks an item for a change until the end of the transaction.
 * @throws Problem 404 · 403 for somebody else's item · 412 when it has been edited since
 */
export async function lockContent(tx: Tx, { contentId, user, ifMatch }: ChangeRequest): Promise<StoredContent> {
  const [row] = await tx.query<StoredContent>(
    `select ${STORED_CONTENT} from content c join users u on u.user_id = c.creator_id
     where c.content_id = $1 and c.deleted_at is null for no key update of c`,
    [contentId],
  );
  if (!row) throw noSuchContent();
  if (row.creator_id !== user.userId && !user.mayWriteForOthers) throw new Problem(403, 'Only its creator may change this item.');
  if (!editsMatch(ifMatch, row.edits)) throw new Problem(412, 'The item has been edited since; read it again before you change it.');
  return row;
}
