import { rowIsKept } from '@ugc/shared/contracts/hidden';
import type { Tx } from '@ugc/shared/postgres/postgres';
import { ownContentId } from './external-id.ts';
import type { ImportLine } from './import-line.ts';

/**
 * The item of an external id. `lineHash` is null if no line of it was imported. `isGone`: it was removed, and perhaps purged.
 * `isOwn`: an export of this database has named it so, and no row has. `isOther`: the line is of an item that had this id before
 * a restore. `importedDownloads`: those that an import has stored; null if that is unknown.
 */
export type KnownItem = {
  contentId: number;
  lineHash: Buffer | null;
  isGone: boolean;
  isOwn?: boolean;
  isOther?: boolean;
  importedDownloads: number | null;
};

/** @returns the items by external id */
export async function findKnownItems(tx: Tx, lines: ImportLine[], prefix: string): Promise<Map<string, KnownItem>> {
  const ids = lines.map(({ externalId }) => externalId);
  const rows = await tx.query<KnownItem & { externalId: string }>(
    `select e.external_id, e.content_id, e.line_hash, c.content_id is null or not ${rowIsKept('c')} as is_gone,
       e.downloads_count as imported_downloads
     from external_item e left join content c using (content_id) where e.external_id = any($1)`,
    [ids],
  );
  const known = new Map(rows.map(({ externalId, ...item }) => [externalId, item]));
  const own = lines.flatMap((line) => {
    const contentId = known.has(line.externalId) ? undefined : ownContentId(line.externalId, prefix);
    return contentId === undefined ? [] : [{ line, contentId }];
  });
  if (own.length === 0) return known;
  const present = await tx.query<OwnItem>(
    `select c.content_id, not ${rowIsKept('c')} as is_gone, c.creator_id, u.credential, c.created_at
     from content c join users u on u.user_id = c.creator_id where c.content_id = any($1)`,
    [own.map(({ contentId }) => contentId)],
  );
  const items = new Map(present.map((row) => [row.contentId, row]));
  for (const { line, contentId } of own) {
    const item = items.get(contentId);
    const found = { contentId, lineHash: null, isOwn: true, isGone: item?.isGone ?? true, importedDownloads: null };
    known.set(line.externalId, { ...found, isOther: item && !isOf(line, item) });
  }
  return known;
}

type OwnItem = { contentId: number; isGone: boolean; creatorId: number; credential: string; createdAt: Date };

/** A restored database gives ids out again, so the id alone does not tell which item a line is of. */
function isOf({ creatorId, creator, createdAt }: ImportLine, item: OwnItem): boolean {
  return (creatorId === item.creatorId || creator?.credential === item.credential) && createdAt === item.createdAt.getTime();
}

/** @returns as many new ids of items, in ascending order */
export async function nextContentIds(tx: Tx, count: number): Promise<number[]> {
  const next = `select nextval(pg_get_serial_sequence('content', 'content_id')) as id from generate_series(1, $1::integer)`;
  return (await tx.query<{ id: number }>(next, [count])).map(({ id }) => id);
}

/** The rows have the order of the external ids, so that no two imports wait for each other. The rest says what to do with present ones. */
const INSERT_LINES = `insert into external_item (external_id, content_id, line_hash, downloads_count)
  select * from unnest($1::text[], $2::bigint[], $3::bytea[], $4::bigint[]) t (external_id, content_id, line_hash, downloads_count) order by external_id collate "C"
  on conflict (external_id) do`;

type Claimed = { externalId: string; contentId: number };

/** @returns those of the new lines that no other import has stored meanwhile, with the ids of their items in their order */
export async function claimNewItems(tx: Tx, lines: ImportLine[]): Promise<{ line: ImportLine; contentId: number }[]> {
  if (lines.length === 0) return [];
  const ids = await nextContentIds(tx, lines.length);
  const downloads = lines.map(({ downloadsCount = 0 }) => downloadsCount);
  const columns = [lines.map(({ externalId }) => externalId), ids, lines.map(({ hash }) => hash), downloads];
  const rows = await tx.query<Claimed>(`${INSERT_LINES} nothing returning external_id, content_id`, columns);
  const claimed = new Map(rows.map(({ externalId, contentId }) => [externalId, contentId]));
  return lines.flatMap((line) => {
    const contentId = claimed.get(line.externalId);
    return contentId === undefined ? [] : [{ line, contentId }];
  });
}

/** @param lines `downloadsCount`: those that the line has given the item, if it has */
export async function rememberLines(
  tx: Tx,
  lines: { line: ImportLine; contentId: number; downloadsCount: number | undefined }[],
): Promise<void> {
  if (lines.length === 0) return;
  const columns = [
    lines.map(({ line }) => line.externalId),
    lines.map(({ contentId }) => contentId),
    lines.map(({ line }) => line.hash),
    lines.map(({ downloadsCount }) => downloadsCount ?? null),
  ];
  await tx.query(
    `${INSERT_LINES} update set line_hash = excluded.line_hash,
       downloads_count = coalesce(excluded.downloads_count, external_item.downloads_count)`,
    columns,
  );
}
