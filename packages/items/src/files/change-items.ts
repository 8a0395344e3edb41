import { rowIsKept } from '@ugc/shared/contracts/hidden';
import { STORED_CONTENT, type StoredContent } from '@ugc/shared/contracts/content';
import { addEmbeddingWork } from '@ugc/shared/embeddings/embedding-work';
import type { ItemRevision } from '@ugc/shared/outbox/states';
import type { UnpublishedKind } from '@ugc/shared/contracts/unpublished';
import type { Tx } from '@ugc/shared/postgres/postgres';
import { storeEdit } from '../changes/change-content.ts';
import type { Checked } from '../changes/item-rules.ts';
import type { Edit } from '../fields/upload-schema.ts';
import { hideItems } from '../changes/hidden-content.ts';
import { askAgain, insertUnpublished } from '../changes/unpublished-content.ts';
import { WRITTEN_COLUMNS, WRITTEN_DEFINITIONS, writtenRow } from '../changes/written-fields.ts';
import { HIDDEN_BY_BLOCK } from '../people/block-user.ts';
import type { ImportedItem, ImportLine } from './import-line.ts';
import type { KnownItem } from './known-items.ts';
import { isPublic, toUnpublished } from './unpublished-line.ts';

/** `isSame`: the line was imported before, so that it changes counters at most. */
export type Target = Pick<KnownItem, 'contentId' | 'importedDownloads'> & { line: ImportLine; isSame: boolean };
export type LockedItem = StoredContent & {
  ratingSum: number;
  credential: string;
  hiddenReason: string | null;
  /** Null for a public item. */
  kind: UnpublishedKind | null;
  publishAt: Date | null;
};
/** `isBlocked`: its creator is, so that the item is stored as one that the block has hidden. */
export type NewItem = { line: CheckedItem; contentId: number; creatorId: number; isBlocked?: boolean };
/** It keeps the rules. */
type CheckedItem = Omit<ImportedItem, 'edit'> & { edit: Checked<Edit> };
export type Changed = Pick<Target, 'contentId'> & { line: Pick<ImportLine, 'updatedAt'>; edit: Checked<Edit> };

/** What an import stores of a new item besides what users write. */
const OTHER_COLUMNS = {
  content_id: 'bigint',
  creator_id: 'bigint',
  downloads_count: 'bigint',
  latest_downloads_count: 'bigint',
  other_downloads: 'bigint',
  latest_other_downloads: 'bigint',
  heat_day: 'double precision',
  heat_week: 'double precision',
  rating_sum: 'bigint',
  rating_count: 'bigint',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
  deleted_at: 'timestamptz',
} as const;

const OTHERS = Object.entries(OTHER_COLUMNS);
const NAMES = [WRITTEN_COLUMNS, ...OTHERS.map(([name]) => name)].join(', ');
const RECORD = [WRITTEN_DEFINITIONS, ...OTHERS.map((column) => column.join(' '))].join(', ');
const INSERT = `insert into content (${NAMES}) overriding system value
  select ${NAMES} from json_to_recordset($1::json) as t (${RECORD}) order by content_id returning content_id, revision`;

/** @returns the new items that are not indexed yet: hidden ones are marked already, and the index has no unpublished ones */
export async function insertItems(tx: Tx, items: NewItem[]): Promise<ItemRevision[]> {
  if (items.length === 0) return [];
  const inserted = await tx.query<ItemRevision>(INSERT, [JSON.stringify(items.map(toRow))]);
  const unpublished = items.flatMap(({ line, ...item }) => toUnpublished(item, line));
  if (unpublished.length > 0) await insertUnpublished(tx, unpublished);
  const pictures = items.flatMap(({ contentId, line: { edit } }) => (edit.thumbnail ? [{ contentId, ...edit.thumbnail }] : []));
  if (pictures.length > 0) {
    await tx.query(
      `insert into content_thumbnail (content_id, media_type, bytes) select * from unnest($1::bigint[], $2::text[], $3::bytea[])`,
      [pictures.map(({ contentId }) => contentId), pictures.map(({ mediaType }) => mediaType), pictures.map(({ bytes }) => bytes)],
    );
  }
  const hidden = new Map<number, ItemRevision>();
  for (const item of items) for (const revised of await hide(tx, item)) hidden.set(revised.contentId, revised);
  for (const revised of await hideByBlock(tx, items)) hidden.set(revised.contentId, revised);
  const isUnpublished = new Set(unpublished.filter(({ wasPublic }) => !wasPublic).map(({ contentId }) => contentId));
  return inserted.filter(({ contentId }) => !hidden.has(contentId) && !isUnpublished.has(contentId));
}

async function hide(tx: Tx, { contentId, line: { hidden } }: NewItem): Promise<ItemRevision[]> {
  if (!hidden) return [];
  const revised = await hideItems(tx, [contentId], {
    moderator: hidden.by ?? null,
    reason: hidden.reason,
    byBlock: hidden.byBlock ?? false,
    alsoDrafts: true,
  });
  const since = new Date(hidden.since ?? Date.now());
  await tx.query('update hidden_content set hidden_at = $2 where content_id = $1', [contentId, since]);
  return revised;
}

/** Those that `hide` has hidden for another reason stay so when the block ends. */
async function hideByBlock(tx: Tx, items: NewItem[]): Promise<ItemRevision[]> {
  const ids = items.flatMap(({ contentId, isBlocked }) => (isBlocked ? [contentId] : []));
  return ids.length === 0 ? [] : hideItems(tx, ids, { moderator: null, reason: HIDDEN_BY_BLOCK, byBlock: true });
}

function toRow({ line, contentId, creatorId }: NewItem): Record<keyof typeof OTHER_COLUMNS, unknown> {
  const { edit, ratings } = line;
  return {
    ...writtenRow(edit),
    content_id: contentId,
    creator_id: creatorId,
    ...downloadsOf(line),
    // An import is no publication.
    ...heatOf(line.heat),
    rating_sum: ratings?.sum ?? 0,
    rating_count: ratings?.count ?? 0,
    deleted_at: isPublic(line) ? null : 'infinity',
    ...timesOf(line),
  };
}

/** Without a number of those by users, all downloads count. */
function downloadsOf({ downloadsCount = 0, latestDownloadsCount = 0, ...byUsers }: ImportedItem) {
  const { userDownloads = downloadsCount } = byUsers;
  const { latestUserDownloads = Math.min(latestDownloadsCount, userDownloads) } = byUsers;
  return {
    downloads_count: downloadsCount,
    latest_downloads_count: latestDownloadsCount,
    other_downloads: downloadsCount - userDownloads,
    latest_other_downloads: latestDownloadsCount - latestUserDownloads,
  };
}

function heatOf(heat: ImportedItem['heat']) {
  return { heat_day: heat?.day ?? null, heat_week: heat?.week ?? null };
}

function timesOf({ createdAt, updatedAt }: Pick<ImportedItem, 'createdAt' | 'updatedAt'>): { created_at: Date; updated_at: Date } {
  const created = createdAt ?? updatedAt ?? Date.now();
  return { created_at: new Date(created), updated_at: new Date(updatedAt ?? created) };
}

/** Locks items in the order of their ids, as every statement that locks several. @returns those that were not removed meanwhile */
export async function lockItems(tx: Tx, targets: Target[]): Promise<Map<number, LockedItem>> {
  const rows = await tx.query<LockedItem>(
    `select ${STORED_CONTENT}, c.rating_sum, u.credential, h.reason as hidden_reason, p.kind, p.publish_at
     from content c join users u on u.user_id = c.creator_id left join hidden_content h on h.content_id = c.content_id
       left join unpublished_content p on p.content_id = c.content_id
     where c.content_id = any($1) and ${rowIsKept('c')} order by c.content_id for no key update of c`,
    [targets.map(({ contentId }) => contentId)],
  );
  return new Map(rows.map((row) => [row.contentId, row]));
}

/** Changes items as edits by their creators do: what a line lacks stays. @returns the items of which something has changed */
export async function editItems(tx: Tx, targets: Changed[], stored: Map<number, LockedItem>): Promise<StoredContent[]> {
  const edited: StoredContent[] = [];
  for (const { line, edit, contentId } of targets) {
    const before = stored.get(contentId);
    const updatedAt = line.updatedAt === undefined ? undefined : new Date(line.updatedAt);
    const after = before && (await storeEdit(tx, before, edit, updatedAt));
    if (after && before.kind === 'review') await askAgain(tx, contentId);
    if (after) edited.push(after);
  }
  // The walk of the embeddings finds new items by itself, and those that are published.
  const embedded = edited.map(({ contentId }) => contentId).filter((id) => (stored.get(id)?.kind ?? null) === null);
  if (embedded.length > 0) await addEmbeddingWork(tx, embedded);
  return edited;
}
