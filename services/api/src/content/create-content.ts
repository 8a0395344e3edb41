import { markPending } from '@ugc/shared/outbox';
import type { Database, Tx } from '@ugc/shared/postgres';
import type { Thumbnail } from './thumbnail.ts';
import type { Upload } from './upload.ts';

export type Created = {
  content_id: number;
  created_at: Date;
  updated_at: Date;
  revision: number;
  user_id: number;
  username: string;
  credential: string;
};

/**
 * Stores an upload and, in the same transaction, that it is to be indexed. Once this has returned, the item will be searchable
 * whatever dies next.
 * @returns undefined when the creator does not exist; then nothing is stored
 */
export async function createContent(database: Database, upload: Upload): Promise<Created | undefined> {
  return database.transaction(async (tx) => {
    const created = await insertContent(tx, upload);
    if (!created) return undefined;
    if (upload.thumbnail) await insertThumbnail(tx, created.content_id, upload.thumbnail);
    await markPending(tx, created.content_id, created.revision);
    return created;
  });
}

async function insertContent(tx: Tx, upload: Upload): Promise<Created | undefined> {
  const [created] = await tx.query<Created>(
    `with creator as (
       select user_id, username, credential from users where user_id = $1
     ), created as (
       insert into content (creator_id, name, description, version, data, tags)
       select user_id, $2, $3, $4::integer, $5, $6::text[] from creator
       returning content_id, created_at, updated_at, revision
     )
     select created.*, creator.* from created, creator`,
    [upload.creatorId, upload.name, upload.description, upload.version, upload.data, upload.tags],
  );
  return created;
}

async function insertThumbnail(tx: Tx, contentId: number, { mediaType, bytes }: Thumbnail): Promise<void> {
  await tx.query(`insert into content_thumbnail (content_id, media_type, bytes) values ($1, $2, $3)`, [contentId, mediaType, bytes]);
}
