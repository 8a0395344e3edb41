import { fromStored, needsRebuild, NO_FIELDS, readDefinitions, toStored, type Definitions } from '@ugc/fields/definition';
import { storeDefinitions } from '@ugc/shared/fields/store-definitions';
import { readDeclaredFields } from '@ugc/shared/fields/declared-fields';
import { listTargetsOf } from '@ugc/shared/indices/targets';
import { storeTimeout } from '@ugc/shared/timing/timeouts';
import { setTimeout as delay } from 'node:timers/promises';
import { markPending } from '@ugc/shared/outbox/mark-pending';
import type { Database, Tx } from '@ugc/shared/postgres/postgres';
import { isDeepStrictEqual } from 'node:util';
import { readFile } from 'node:fs/promises';
import type { ItemLimits } from '@ugc/items/changes/item-limits';
import { checkItem } from '@ugc/items/changes/item-rules';
import { parseThumbnail, type Thumbnail } from '@ugc/items/pictures/thumbnail';
import { insertItems, type NewItem } from '@ugc/items/files/change-items';
import { nextContentIds } from '@ugc/items/files/known-items';

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
  /** Values of the fields in `demo/fields.json`. */
  fields: object;
  /** The name of a file in `demo/pictures`. */
  picture: string;
};

const DEMO = new URL('../../demo/', import.meta.url);
const BATCH_SIZE = 100;
const NO_LIMITS = { limitBytes: Infinity, limitSide: Infinity };
const DAY_MS = 86_400_000;
const PATIENCE_MS = storeTimeout(60_000);
const POLL_EVERY_MS = 100;
/** The collection is loaded whatever an operator permits to users. */
const FOR_USERS: ItemLimits = {
  NAME_MAX_CHARACTERS: Infinity,
  DESCRIPTION_MAX_CHARACTERS: Infinity,
  TAG_MAX_CHARACTERS: Infinity,
  ITEM_MAX_BYTES: Infinity,
  THUMBNAIL_MAX_ANIMATION_PIXELS: 0,
};

/**
 * Declares the fields of the collection before it loads it, and lets an indexer make the index with them.
 * @returns the number of items that were loaded; 0 when the database already has users
 */
export async function loadDemo(
  { database, alias }: { database: Database; alias: string },
  progress: (done: number, total: number) => void,
): Promise<number> {
  if (await hasUsers(database)) return 0;
  const { users, items, pictures } = await readCollection();
  const declared = await declareFields(database);
  if (declared.size > 0) await untilIndexHas({ database, alias }, declared);
  return database.transaction(async (tx) => {
    // A second process waits for the lock, and then sees the users that the first one inserted.
    await tx.query('lock table users in share row exclusive mode');
    if (await hasUsers(tx)) return 0;
    const userIds = await insertUsers(tx, users);
    for (let first = 0; first < items.length; first += BATCH_SIZE) {
      await insertDemo(tx, { userIds, pictures, declared }, items.slice(first, first + BATCH_SIZE));
      progress(Math.min(first + BATCH_SIZE, items.length), items.length);
    }
    return items.length;
  });
}

async function readCollection(): Promise<{ users: DemoUser[]; items: DemoItem[]; pictures: Map<string, Thumbnail> }> {
  const { users, items } = JSON.parse(await readFile(new URL('collection.json', DEMO), 'utf8')) as { users: DemoUser[]; items: DemoItem[] };
  const names = [...new Set(items.map(({ picture }) => picture))];
  const read = async (name: string) =>
    [name, parseThumbnail(await readFile(new URL(`pictures/${name}.webp`, DEMO), 'base64'), NO_LIMITS)] as const;
  return { users, items, pictures: new Map(await Promise.all(names.map(read))) };
}

/** @returns the fields of the collection; none if an operator has declared others, which its items do not have */
async function declareFields(database: Database): Promise<Definitions> {
  const file: unknown = JSON.parse(await readFile(new URL('fields.json', DEMO), 'utf8'));
  const read = readDefinitions(file);
  if ('errors' in read) throw new Error(`the fields of the demo are not valid: ${JSON.stringify(read.errors)}`);
  const declared = await readDeclaredFields(database);
  if (declared.size > 0) return isDeepStrictEqual(toStored(declared), toStored(read.definitions)) ? read.definitions : NO_FIELDS;
  await database.transaction((tx) => storeDefinitions(tx, read.definitions));
  return read.definitions;
}

/**
 * While there are no items, a running indexer makes the index anew at once. If none runs, a rebuild is due later. Nothing
 * makes the index of a former alias anew.
 */
async function untilIndexHas(of: Parameters<typeof listTargetsOf>[0], fields: Definitions): Promise<void> {
  const isOutdated = async (): Promise<boolean> => {
    const targets = await listTargetsOf(of);
    return targets.some(({ role, fields: built }) => role !== 'previous' && needsRebuild(fields, fromStored(built)));
  };
  for (const began = performance.now(); performance.now() - began < PATIENCE_MS && (await isOutdated());) await delay(POLL_EVERY_MS);
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

type Parts = { userIds: Map<string, number>; pictures: Map<string, Thumbnail>; declared: Definitions };

async function insertDemo(tx: Tx, { userIds, pictures, declared }: Parts, items: DemoItem[]): Promise<void> {
  const contentIds = await nextContentIds(tx, items.length);
  const newItems = items.map((item, at): NewItem => {
    const { creator, picture, daysAgo, downloads, latestDownloads, ratings, ...edit } = item;
    const thumbnail = pictures.get(picture);
    const [contentId, creatorId] = [contentIds[at], userIds.get(creator)];
    if (!thumbnail || !contentId || !creatorId) throw new Error(`the demo item ${item.name} lacks its picture or its creator`);
    const line = {
      edit: checkItem({ before: undefined, edit: { ...edit, thumbnail }, picture: thumbnail }, { limits: FOR_USERS, declared }),
      createdAt: Date.now() - daysAgo * DAY_MS,
      downloadsCount: downloads,
      latestDownloadsCount: latestDownloads,
      ratings,
    };
    return { contentId, creatorId, line };
  });
  await markPending(tx, await insertItems(tx, newItems));
}
