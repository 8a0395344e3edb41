import { STORED_CONTENT, type StoredContent } from '@ugc/shared/content';
import type { Database } from '@ugc/shared/postgres';

/** @returns undefined when there is no such item */
export async function getContent(database: Database, contentId: number): Promise<StoredContent | undefined> {
  const [row] = await database.query<StoredContent>(
    `select ${STORED_CONTENT} from content c join users u on u.user_id = c.creator_id where c.content_id = $1`,
    [contentId],
  );
  return row;
}

/** @returns the id in a path, or undefined for what can't be one: then there is no such item either */
export function parseContentId(text: string): number | undefined {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined;
  return id !== undefined && Number.isSafeInteger(id) ? id : undefined;
}
