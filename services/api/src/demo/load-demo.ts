import { markPending } from '@ugc/shared/outbox/mark-pending';
import type { Database, Tx } from '@ugc/shared/stores/postgres';
import { readFile } from 'node:fs/promises';
import { thumbnailPng } from './thumbnail-png.ts';

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
  hue: number;
};

/** @returns the number of items that were loaded; 0 when the database already has users */
export async function loadDemo(database: Database, progress: (done: number, total: number) => void): Promise<number> {
  const { users, items } = await readCollection();
  return database.transaction(async (tx) => {
    if (await hasUsers(tx)) return 0;
    const userIds = await insertUsers(tx, users);
    for (const [position, item] of items.entries()) {
      await insertItem(tx, userIds.get(item.creator), item);
      progress(position + 1, items.length);
    }
    return items.length;
  });
}

async function readCollection(): Promise<{ users: DemoUser[]; items: DemoItem[] }> {
  const text = await readFile(new URL('../../demo/collection.json', import.meta.url), 'utf8');
  return JSON.parse(text) as { users: DemoUser[]; items: DemoItem[] };
}

// With the lock, a second process waits and then sees the users that the first one inserted.
async function hasUsers(tx: Tx): Promise<boolean> {
  await tx.query('lock table users in share row exclusive mode');
  const users = await tx.query('select 1 from users limit 1');
  return users.length > 0;
}

async function insertUsers(tx: Tx, users: DemoUser[]): Promise<Map<string, number>> {
  const rows = await tx.query<{ username: string; user_id: number }>(
    `insert into users (username, credential) select * from unnest($1::text[], $2::text[]) returning username, user_id`,
    [users.map((user) => user.username), users.map((user) => user.credential)],
  );
  return new Map(rows.map((row) => [row.username, row.user_id]));
}

async function insertItem(tx: Tx, creatorId: number | undefined, item: DemoItem): Promise<void> {
  const [row] = await tx.query<{ content_id: number; revision: number }>(
    `insert into content (creator_id, name, description, tags, version, data, downloads_count, latest_downloads_count,
       rating_sum, rating_count, created_at, updated_at)
     select $1, $2, $3, $4::text[], $5, $6, $7, $8, $9, $10, at, at from (select now() - $11 * interval '1 day') t (at)
     returning content_id, revision`,
    [
      creatorId,
      item.name,
      item.description,
      item.tags,
      item.version,
      item.data,
      item.downloads,
      item.latestDownloads,
      item.ratings.sum,
      item.ratings.count,
      item.daysAgo,
    ],
  );
  if (!row) throw new Error(`the demo item ${item.name} was not stored`);
  await tx.query(`insert into content_thumbnail (content_id, media_type, bytes) values ($1, 'image/png', $2)`, [
    row.content_id,
    thumbnailPng(item.hue),
  ]);
  await markPending(tx, [row]);
}
