import type { Database } from '@ugc/shared/postgres/postgres';
import { storeContent, type StoredFields } from '../support/database/stored-content.ts';
import { readDemoItems, type DemoItem } from './demo-prompts.ts';

const NEWEST_MS = Date.UTC(2026, 10, 1);
const DAY_MS = 86_400_000;

/**
 * Stores the demo collection without thumbnails, which take most of the time of its loader.
 * @param isRated whether the items have their ratings, downloads and times, or all the same @returns the ids of its items
 */
export async function storeDemo(database: Database, { isRated = false } = {}): Promise<number[]> {
  const items = await readDemoItems();
  const users = await database.query<{ userId: number; username: string }>(
    `insert into users (username, credential) select name, 'demo|' || name from unnest($1::text[]) t (name) returning user_id, username`,
    [[...new Set(items.map(({ creator }) => creator))]],
  );
  const idOf = new Map(users.map(({ userId: id, username }) => [username, id]));
  return storeContent(
    database,
    items.map((item) => {
      const { creator, name, description, tags } = item;
      return { creatorId: idOf.get(creator) ?? NaN, name, description, tags, ...(isRated && ratedFields(item)) };
    }),
  );
}

function ratedFields({ daysAgo, downloads, ratings: { sum, count } }: DemoItem): StoredFields {
  const ratings = Array.from({ length: count }, (_, n) => Math.floor(sum / count) + (n < sum % count ? 1 : 0));
  return { ratings, downloads, createdAt: new Date(NEWEST_MS - daysAgo * DAY_MS).toISOString() };
}
