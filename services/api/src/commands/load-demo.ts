import { markPending } from '@ugc/shared/outbox/mark-pending';
import type { Database, Tx } from '@ugc/shared/postgres/postgres';
import { readFile } from 'node:fs/promises';

type DemoUser = { username: string; credential: string };
type DemoItem = {
  creator: string;
  name: string;
  description: string;
  tags: string[];
  version: number;
  data: string;
  daysAgo: number;
  downloads: number;
  latestDownloads: number;
  ratings: { sum: number; count: number };
  /** The name of a file in `demo/pictures`. */
  picture: string;
};

const DEMO = new URL('../../demo/', import.meta.url);
const BATCH_SIZE = 100;

/** @returns the number of items that were loaded; 0 when the database already has users */
export async function loadDemo(database: Database, progress: (done: number, total: number) => void): Promise<number> {
  if (await hasUsers(database)) return 0;
  const { users, items, pictures } = await readCollection();
  return database.transaction(async (tx) => {
    // A second process waits for the lock, and then sees the users that the first one inserted.
    await tx.query('lock table users in share row exclusive mode');
    if (await hasUsers(tx)) return 0;
    const userIds = await insertUsers(tx, users);
    for (let first = 0; first < items.length; first += BATCH_SIZE) {
      await insertItems(tx, { userIds, pictures }, items.slice(first, first + BATCH_SIZE));
      progress(Math.min(first + BATCH_SIZE, items.length), items.length);
    }
    return items.length;
  });
}

async function readCollection(): Promise<{ users: DemoUser[]; items: DemoItem[]; pictures: Map<string, Buffer> }> {
  const { users, items } = JSON.parse(await readFile(new URL('collection.json', DEMO), 'utf8')) as { users: DemoUser[]; items: DemoItem[] };
  const names = [...new Set(items.map(({ picture }) => picture))];
  const read = async (name: string) => [name, await readFile(new URL(`pictures/${name}.png`, DEMO))] as const;
  return { users, items, pictures: new Map(await Promise.all(names.map(read))) };
}

async function hasUsers({ query }: Pick<Tx, 'query'>): Promise<boolean> {
  return (await query('select 1 from users limit 1')).length > 0;
}

async function insertUsers(tx: Tx, users: DemoUser[]): Promise<Map<string, number>> {
  const rows = await tx.query<{ username: string; userId: number }>(
    `insert into users (username, credential) select * from unnest($1::text[], $2::text[]) returning username, user_id`,
    [users.map((user) => user.username), users.map((user) => user.credential)],
  );
  return new Map(rows.map((row) => [row.username, row.userId]));
}

type Parts = { userIds: Map<string, number>; pictures: Map<string, Buffer> };

async function insertItems(tx: Tx, { userIds, pictures }: Parts, items: DemoItem[]): Promise<void> {
  const records = items.map(({ creator, ratings, ...item }) => ({ ...item, creatorId: userIds.get(creator), ...ratings }));
  const rows = await tx.query<{ contentId: number; revision: number }>(
    `insert into content (creator_id, name, description, tags, version, data, downloads_count, latest_downloads_count,
       rating_sum, rating_count, created_at, updated_at)
     select "creatorId", name, description, array(select json_array_elements_text(tags)), version, data, downloads, "latestDownloads",
       sum, count, at, at
     from json_to_recordset($1) as item ("creatorId" bigint, name text, description text, tags json, version integer, data text,
       downloads bigint, "latestDownloads" bigint, sum bigint, count bigint, "daysAgo" float8, position integer),
       lateral (select now() - "daysAgo" * interval '1 day') t (at)
     order by position returning content_id, revision`,
    [JSON.stringify(records.map((record, position) => ({ ...record, position })))],
  );
  if (rows.length < items.length) throw new Error('not all demo items were stored');
  // The ids have the order of the items.
  const ids = rows.map((row) => row.contentId).sort((a, b) => a - b);
  await tx.query(
    `insert into content_thumbnail (content_id, media_type, bytes)
     select content_id, 'image/png', bytes from unnest($1::bigint[], $2::bytea[]) as t (content_id, bytes)`,
    [ids, items.map(({ picture }) => pictures.get(picture))],
  );
  await markPending(tx, rows);
}
