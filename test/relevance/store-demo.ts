import type { Database } from '@ugc/shared/stores/postgres';
import { storeContent } from '../support/database/stored-content.ts';
import { readDemoItems } from './demo-prompts.ts';

/** Stores the demo collection without thumbnails, which take most of the time of its loader. @returns the ids of its items */
export async function storeDemo(database: Database): Promise<number[]> {
  const items = await readDemoItems();
  const users = await database.query<{ userId: number; username: string }>(
    `insert into users (username, credential) select name, 'demo|' || name from unnest($1::text[]) t (name) returning user_id, username`,
    [[...new Set(items.map(({ creator }) => creator))]],
  );
  const idOf = new Map(users.map(({ userId: id, username }) => [username, id]));
  return storeContent(
    database,
    items.map(({ creator, name, description, tags }) => ({ creatorId: idOf.get(creator) ?? NaN, name, description, tags })),
  );
}
