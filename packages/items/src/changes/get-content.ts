import { STORED_CONTENT, type StoredContent } from '@ugc/shared/contracts/content';
import type { Database } from '@ugc/shared/postgres/postgres';
import DataLoader from 'dataloader';
import { Problem } from '../problems/problem.ts';

const GET_CONTENTS = {
  name: 'get-contents',
  text: `select ${STORED_CONTENT} from content c join users u on u.user_id = c.creator_id
    where c.content_id = any($1::bigint[]) and c.deleted_at is null`,
};

export type ContentReader = DataLoader<number, StoredContent | undefined>;

/** Bounds the memory, and the time that a small item waits for large ones. */
const MAX_TOGETHER = 20;

/**
 * Reads that arrive in the same turn of the event loop share one statement: sending a statement takes more processor
 * time than the rest of a read. An error fails all reads of the statement.
 */
export function contentReader(database: Database): ContentReader {
  const read = async (ids: readonly number[]) => {
    const rows = await database.query<StoredContent>(GET_CONTENTS, [ids]);
    const byId = new Map(rows.map((row) => [row.contentId, row]));
    return ids.map((id) => byId.get(id));
  };
  return new DataLoader(read, { cache: false, maxBatchSize: MAX_TOGETHER, batchScheduleFn: (run) => void setImmediate(run) });
}

const GET_TEXTS = {
  name: 'get-texts',
  text: `select content_id, name, description, tags from content where content_id = $1 and deleted_at is null`,
};

/** Does not read the data of the item, which may be large. @throws Problem 404 */
export async function getTexts(
  { query }: Pick<Database, 'query'>,
  contentId: number,
): Promise<Pick<StoredContent, 'contentId' | 'name' | 'description' | 'tags'>> {
  const [row] = await query<StoredContent>(GET_TEXTS, [contentId]);
  if (!row) throw noSuchContent();
  return row;
}

/** @throws Problem 404 when the text is not a positive safe integer */
export function parseContentId(text: string): number {
  return parseId(text, noSuchContent);
}

/** @throws what `unknown` makes for a text that is no id */
export function parseId(text: string, unknown: () => Problem): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(id)) throw unknown();
  return id;
}

export function noSuchContent(): Problem {
  return new Problem(
    404,
    'item-unknown',
    'No content item has this id. An id is a positive integer, such as the `contentId` of a list item.',
  );
}
