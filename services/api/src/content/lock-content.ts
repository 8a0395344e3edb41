import { STORED_CONTENT, type StoredContent } from '@ugc/shared/content';
import type { Tx } from '@ugc/shared/postgres';
import type { Caller } from '../auth/claims.ts';
import { Problem } from '../problem.ts';
import { editsMatch } from './entity-tag.ts';
import { noSuchContent } from './get-content.ts';

/** Who wants to change an item, and the entity tags (`If-Match`) that it must still have; empty for any. */
export type ChangeRequest = { contentId: number; caller: Caller; ifMatch: string };

/**
 * Locks an item for a change until the end of the transaction.
 * @throws Problem 404 · 403 for somebody else's item · 412 when it has been edited since
 */
export async function lockContent(tx: Tx, { contentId, caller, ifMatch }: ChangeRequest): Promise<StoredContent> {
  const [row] = await tx.query<StoredContent>(
    `select ${STORED_CONTENT} from content c join users u on u.user_id = c.creator_id
     where c.content_id = $1 and c.deleted_at is null for no key update of c`,
    [contentId],
  );
  if (!row) throw noSuchContent();
  if (row.creator_id !== caller.userId && !caller.mayWriteForOthers) throw new Problem(403, 'Only its creator may change this item.');
  if (!editsMatch(ifMatch, row.edits)) throw new Problem(412, 'The item has been edited since; read it again before you change it.');
  return row;
}
