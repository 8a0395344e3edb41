import type pg from 'pg';
import { withoutMetadata } from './thumbnail.ts';

type Client = Pick<pg.Client, 'query'>;
type StoredPicture = { contentId: string; bytes: Buffer };

/** A batch has at most so many pictures, and about so many bytes. */
const BATCH_PICTURES = 200;
const BATCH_BYTES = 8_388_608;

/**
 * Removes the metadata of pictures that earlier releases have stored as they were sent. Nothing but the row that changes is
 * locked. After a stop, the next call continues: a comment of the table says up to which item pictures are clean.
 * @param onProgress gets the number of pictures that were read, and of all
 */
export async function cleanPictures(client: Client, onProgress: (done: number, total: number) => void): Promise<void> {
  let cleanedTo = await readProgress(client);
  const total = await countAfter(client, cleanedTo);
  let done = 0;
  for (let batch = await readAfter(client, cleanedTo); batch.length > 0; batch = await readAfter(client, cleanedTo)) {
    for (const picture of batch) await clean(client, picture);
    cleanedTo = batch.at(-1)?.contentId ?? cleanedTo;
    // Such a statement has no parameters. The id comes from PostgreSQL.
    await client.query(`comment on table content_thumbnail is 'without metadata up to item ${cleanedTo}'`);
    done += batch.length;
    onProgress(done, Math.max(done, total));
  }
}

async function readProgress(client: Client): Promise<string> {
  const { rows } = await client.query<{ cleanedTo: string | null }>(
    `select substring(obj_description('content_thumbnail'::regclass, 'pg_class') from '^without metadata up to item (\\d+)$') as "cleanedTo"`,
  );
  return rows[0]?.cleanedTo ?? '0';
}

async function countAfter(client: Client, contentId: string): Promise<number> {
  const { rows } = await client.query<{ count: string }>('select count(*) from content_thumbnail where content_id > $1', [contentId]);
  return Number(rows[0]?.count ?? 0);
}

async function readAfter(client: Client, contentId: string): Promise<StoredPicture[]> {
  const { rows } = await client.query<StoredPicture>(
    `select content_id as "contentId", bytes
     from (select content_id, bytes, sum(octet_length(bytes)) over (order by content_id) - octet_length(bytes) as before
           from (select * from content_thumbnail where content_id > $1 order by content_id limit ${BATCH_PICTURES}) next) batch
     where before < ${BATCH_BYTES} order by content_id`,
    [contentId],
  );
  return rows;
}

/** Changes nothing if another process has replaced the picture meanwhile, without metadata. */
async function clean(client: Client, { contentId, bytes }: StoredPicture): Promise<void> {
  const cleaned = withoutMetadata(bytes);
  if (cleaned.length >= bytes.length) return;
  await client.query('update content_thumbnail set bytes = $2 where content_id = $1 and bytes = $3', [contentId, cleaned, bytes]);
}
