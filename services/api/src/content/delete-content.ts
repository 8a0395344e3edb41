import { removeEmbedding } from '@ugc/shared/embeddings/embedding-work';
import { markPending } from '@ugc/shared/outbox/mark-pending';
import type { ItemRevision } from '@ugc/shared/outbox/states';
import type { Database } from '@ugc/shared/stores/postgres';
import { lockContent, type ChangeRequest } from './lock-content.ts';
import { removeThumbnail } from './thumbnail-store.ts';
import { ERASE_TEXTS } from './written-fields.ts';

/** `isEmbedded`: whether items are embedded. Otherwise a vector from earlier goes with the purge. */
type DeleteRequest = ChangeRequest & { isEmbedded?: boolean };

/**
 * Keeps the row as a tombstone until the purge, which also deletes the ratings: they can be too many for one request.
 * @throws Problem as `lockContent`
 */
export async function deleteContent(database: Database, request: DeleteRequest): Promise<ItemRevision> {
  return database.transaction(async (tx) => {
    const { contentId } = await lockContent(tx, request);
    await removeThumbnail(tx, contentId);
    if (request.isEmbedded) await removeEmbedding(tx, contentId);
    const [deleted] = await tx.query<ItemRevision>(
      `update content
       set ${ERASE_TEXTS}, downloads_count = 0, latest_downloads_count = 0, rating_sum = 0, rating_count = 0,
         deleted_at = now(), revision = revision + 1
       where content_id = $1
       returning content_id, revision`,
      [contentId],
    );
    if (!deleted) throw new Error('the locked content row does not exist');
    await markPending(tx, [deleted]);
    return deleted;
  });
}
