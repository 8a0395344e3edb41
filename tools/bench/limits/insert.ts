import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import pg from 'pg';

/** The simplest program that imports the lines of a file: it inserts them and their outbox rows in batches, without any check. */

const BATCH_SIZE = 500;

type Item = { name: string; description: string; data: string; tags: string[]; thumbnail?: string };

const client = new pg.Client(process.env['DATABASE_URL']);
await client.connect();
let batch: Item[] = [];
for await (const line of createInterface({ input: createReadStream(process.env['IMPORT_FILE'] ?? '') })) {
  batch.push(JSON.parse(line) as Item);
  if (batch.length === BATCH_SIZE) await insert();
}
await insert();
await client.end();

async function insert(): Promise<void> {
  const columns = [
    batch.map(({ name }) => name),
    batch.map(({ description }) => description),
    batch.map(({ data }) => data),
    batch.map(({ tags }) => JSON.stringify(tags)),
    batch.map(({ thumbnail }) => thumbnail && Buffer.from(thumbnail, 'base64')),
  ];
  await client.query(
    `with c as (
       insert into content (creator_id, name, description, data, tags, version)
       select 1, name, description, data, array(select jsonb_array_elements_text(tags)), 1
       from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[]) as t (name, description, data, tags)
       returning content_id, revision
     ), o as (insert into index_outbox (content_id, revision) select content_id, revision from c)
     insert into content_thumbnail (content_id, media_type, bytes)
     select content_id, 'image/png', bytes from (select content_id, row_number() over () as n from c) as c
     join unnest($5::bytea[]) with ordinality as t (bytes, n) using (n) where bytes is not null`,
    columns,
  );
  batch = [];
}
