import type { Database, Tx } from '@ugc/shared/postgres/postgres';
import type { Thumbnail } from '../pictures/thumbnail.ts';

/** Every change of a thumbnail increments the item's `edits`. `bytes` is null when the client has the image. */
type StoredThumbnail = { edits: number; mediaType: string; bytes: Buffer | null };

/** @param known the `edits` of the images that the client has; their bytes are not read */
export async function getThumbnail(database: Database, contentId: number, known: number[] | 'any'): Promise<StoredThumbnail | undefined> {
  const [row] = await database.query<StoredThumbnail>(
    `select c.edits, t.media_type, case when c.edits = any($2::bigint[]) or $3 then null else t.bytes end as bytes
     from content_thumbnail t join content c using (content_id)
     where t.content_id = $1 and c.deleted_at is null`,
    [contentId, known === 'any' ? [] : known, known === 'any'],
  );
  return row;
}

export async function storeThumbnail(tx: Tx, contentId: number, { mediaType, bytes }: Thumbnail): Promise<void> {
  await tx.query(
    `insert into content_thumbnail (content_id, media_type, bytes) values ($1, $2, $3)
     on conflict (content_id) do update set media_type = excluded.media_type, bytes = excluded.bytes`,
    [contentId, mediaType, bytes],
  );
}

export async function removeThumbnail(tx: Tx, contentId: number): Promise<void> {
  await tx.query(`delete from content_thumbnail where content_id = $1`, [contentId]);
}

/** Whether a picture is stored already. @param thumbnail null for no thumbnail */
export async function thumbnailEquals(tx: Tx, contentId: number, thumbnail: Thumbnail | null): Promise<boolean> {
  const [row] = await tx.query<{ same: boolean }>(
    `select coalesce(bytes = $2, false) as same from content_thumbnail where content_id = $1`,
    [contentId, thumbnail?.bytes ?? null],
  );
  return row?.same ?? thumbnail === null;
}
