import type { StoredContent } from '@ugc/shared/contracts/content';
import { markPending } from '@ugc/shared/outbox/mark-pending';
import type { Database, Tx } from '@ugc/shared/stores/postgres';
import { isDeepStrictEqual } from 'node:util';
import type { Edit } from './edit-schema.ts';
import { lockContent, type ChangeRequest } from './lock-content.ts';
import { removeThumbnail, storeThumbnail, thumbnailEquals } from './thumbnail-store.ts';

/** If no value differs, revision and `updatedAt` do not change. @throws Problem as `lockContent` */
export async function editContent(database: Database, request: ChangeRequest, { thumbnail, ...fields }: Edit): Promise<StoredContent> {
  return database.transaction(async (tx) => {
    const before = await lockContent(tx, request);
    const after = { ...before, ...fields };
    const newThumbnail = thumbnail !== undefined && !(await thumbnailEquals(tx, before.content_id, thumbnail));
    if (!newThumbnail && isDeepStrictEqual(after, before)) return before;
    if (newThumbnail) await (thumbnail ? storeThumbnail(tx, before.content_id, thumbnail) : removeThumbnail(tx, before.content_id));
    return { ...after, ...(await updateContent(tx, after)) };
  });
}

type Updated = Pick<StoredContent, 'content_id' | 'latest_downloads_count' | 'updated_at' | 'edits' | 'revision'>;

async function updateContent(tx: Tx, content: StoredContent): Promise<Updated> {
  const [updated] = await tx.query<Updated>(
    `update content
     set name = $2, description = $3, data = $4, version = $5, tags = $6::text[],
       latest_downloads_count = case when version = $5 then latest_downloads_count else 0 end,
       updated_at = greatest(updated_at, clock_timestamp()), edits = edits + 1, revision = revision + 1
     where content_id = $1
     returning content_id, latest_downloads_count, updated_at, edits, revision`,
    [content.content_id, content.name, content.description, content.data, content.version, content.tags],
  );
  if (!updated) throw new Error('the locked content row does not exist');
  await markPending(tx, [updated]);
  return updated;
}
