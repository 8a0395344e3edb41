import { rowIsKept } from '@ugc/shared/contracts/hidden';
import { BULK_BATCH_SIZE, countRows } from '@ugc/shared/outbox/backlog';
import { markPending } from '@ugc/shared/outbox/mark-pending';
import type { Database } from '@ugc/shared/postgres/postgres';
import { eraseItems } from '../changes/change-content.ts';

/**
 * `isNamed`: whether a line has an external id with the prefix. `seen`: the items that lines have named. `lastId`: items with a
 * greater one may be of another import, which runs beside this one.
 */
export type Missing = { prefix: string; isNamed: boolean; seen: Set<number>; lastId: number };

export function markSeen(missing: Missing, externalId: string, contentId: number | undefined): void {
  missing.isNamed ||= externalId.startsWith(missing.prefix);
  if (contentId !== undefined) missing.seen.add(contentId);
}

type Row = { externalId: string; contentId: number };

/** No external id that begins with the prefix sorts after this text. */
const END = '\u{10ffff}';

/** @returns the next items that an import has stored with the prefix, from an external id on; empty after the last one */
export async function nextImported({ query }: Pick<Database, 'query'>, { prefix, lastId }: Missing, after: string): Promise<Row[]> {
  return query<Row>(
    `select external_id, content_id from external_item
     where external_id >= $1 and external_id > $2 and external_id < $3 and content_id <= $4 order by external_id limit ${BULK_BATCH_SIZE}`,
    [prefix, after, `${prefix}${END}`, lastId],
  );
}

/** @returns how many items an import has stored with the prefix */
export async function countImported(database: Pick<Database, 'query'>, { prefix, lastId }: Missing): Promise<number> {
  return countRows(database, `select count(*) from external_item where external_id >= $1 and external_id < $2 and content_id <= $3`, [
    prefix,
    `${prefix}${END}`,
    lastId,
  ]);
}

/** Deletes those of the items that no line of the file has named. @returns how many; those that are gone already do not count */
export async function deleteMissing(database: Database, rows: Row[], { seen }: Missing, isDryRun: boolean): Promise<number> {
  const ids = [...new Set(rows.map(({ contentId }) => contentId))].filter((contentId) => !seen.has(contentId));
  if (ids.length === 0) return 0;
  return database.transaction(async (tx) => {
    const present = await tx.query<{ contentId: number }>(
      `select content_id from content where content_id = any($1::bigint[]) and ${rowIsKept('content')}
       order by content_id ${isDryRun ? '' : 'for no key update'}`,
      [ids],
    );
    if (isDryRun || present.length === 0) return present.length;
    const erased = await eraseItems(
      tx,
      present.map(({ contentId }) => contentId),
    );
    await markPending(tx, erased.pending);
    return erased.deleted.length;
  });
}
