import type { StoredContent } from '@ugc/shared/contracts/content';
import { addEmbeddingWork } from '@ugc/shared/embeddings/embedding-work';
import { markPending } from '@ugc/shared/outbox/mark-pending';
import type { Database, Tx } from '@ugc/shared/stores/postgres';
import { isDeepStrictEqual } from 'node:util';
import type { Limits } from '../env.ts';
import type { Edit } from './edit-schema.ts';
import { assertWithinLimits } from './item-limits.ts';
import { lockContent, type ChangeRequest } from './lock-content.ts';
import { removeThumbnail, storeThumbnail, thumbnailEquals } from './thumbnail-store.ts';
import { WRITTEN_COLUMNS, WRITTEN_PARAMETERS, writtenValues } from './written-fields.ts';

/** `isEmbedded`: whether items are embedded. */
type EditRequest = ChangeRequest & { limits: Limits; isEmbedded?: boolean };

/** If no value differs, revision and `updatedAt` do not change. @throws Problem as `lockContent` · 400 above the limits */
export async function editContent(database: Database, request: EditRequest, { thumbnail, ...fields }: Edit): Promise<StoredContent> {
  return database.transaction(async (tx) => {
    const before = await lockContent(tx, request);
    const after = { ...before, ...fields };
    assertWithinLimits(after, before, request.limits);
    const newThumbnail = thumbnail !== undefined && !(await thumbnailEquals(tx, before.contentId, thumbnail));
    if (!newThumbnail && isDeepStrictEqual(after, before)) return before;
    if (newThumbnail) await (thumbnail ? storeThumbnail(tx, before.contentId, thumbnail) : removeThumbnail(tx, before.contentId));
    const updated = await updateContent(tx, after);
    if (request.isEmbedded && !isDeepStrictEqual(embeddedTexts(after), embeddedTexts(before))) await addEmbeddingWork(tx, before.contentId);
    return { ...after, ...updated };
  });
}

function embeddedTexts({ name, tags, description }: StoredContent): unknown[] {
  return [name, tags, description];
}

type Updated = Pick<StoredContent, 'contentId' | 'latestDownloadsCount' | 'updatedAt' | 'edits' | 'revision'>;

async function updateContent(tx: Tx, content: StoredContent): Promise<Updated> {
  const [updated] = await tx.query<Updated>(
    `update content c
     set (${WRITTEN_COLUMNS}) = (select w.*),
       latest_downloads_count = case when c.version = w.version then c.latest_downloads_count else 0 end,
       updated_at = greatest(c.updated_at, clock_timestamp()), edits = c.edits + 1, revision = c.revision + 1
     from (values (${WRITTEN_PARAMETERS})) as w (${WRITTEN_COLUMNS})
     where c.content_id = $1
     returning c.content_id, c.latest_downloads_count, c.updated_at, c.edits, c.revision`,
    [content.contentId, ...writtenValues(content)],
  );
  if (!updated) throw new Error('the locked content row does not exist');
  await markPending(tx, [updated]);
  return updated;
}
