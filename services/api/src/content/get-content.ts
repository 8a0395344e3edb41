import { STORED_CONTENT, type StoredContent } from '@ugc/shared/contracts/content';
import type { Database } from '@ugc/shared/stores/postgres';
import { Problem } from '../http/problem.ts';

const GET_CONTENT = {
  name: 'get-content',
  text: `select ${STORED_CONTENT} from content c join users u on u.user_id = c.creator_id
    where c.content_id = $1 and c.deleted_at is null`,
};

/** @throws Problem 404 */
export async function getContent(database: Database, contentId: number): Promise<StoredContent> {
  const [row] = await database.query<StoredContent>(GET_CONTENT, [contentId]);
  if (!row) throw noSuchContent();
  return row;
}

/** @throws Problem 404 when the text is not a positive safe integer */
export function parseContentId(text: string): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(id)) throw noSuchContent();
  return id;
}

export function noSuchContent(): Problem {
  return new Problem(404, 'No content item has this id. An id is a positive integer, such as the `contentId` of a list item.');
}
