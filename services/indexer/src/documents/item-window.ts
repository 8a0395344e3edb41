import { rowWasNeverPublic } from '@ugc/shared/contracts/unpublished';
import type { Query } from '@ugc/shared/postgres/postgres';

/** Rows of `content` that one statement looks at. No index has items that never were public, and millions may follow one another. */
const WINDOW = 10_000;

/** @returns the id of the last item that one statement after `after` may look at; undefined if that is all of them */
export async function windowEnd({ query }: { query: Query }, after: number): Promise<number | undefined> {
  const [row] = await query<{ contentId: number }>(
    `select content_id from content where content_id > $1 order by content_id offset ${WINDOW - 1} limit 1`,
    [after],
  );
  return row?.contentId;
}

/** A condition on `content c`: the items of a window that an index has. The parameters are those of `windowEnd`, and what it returns. */
export const IS_IN_WINDOW = `c.content_id > $1 and c.content_id <= coalesce($2::bigint, ${Number.MAX_SAFE_INTEGER}) and not ${rowWasNeverPublic('c')}`;
