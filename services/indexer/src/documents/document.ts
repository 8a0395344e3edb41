import type { IndexedContent } from '@ugc/shared/contracts/content';
import type { ContentDocument, Tombstone } from '@ugc/shared/contracts/content-index';

/** What the index holds of an item. Pure: the same row always gives the same document. */
export function toDocument(row: IndexedContent): ContentDocument | Tombstone {
  if (row.deleted_at !== null) return { contentId: row.content_id, deleted: true };
  return {
    contentId: row.content_id,
    creatorId: row.creator_id,
    creatorName: row.creator_name,
    name: row.name,
    description: row.description,
    data: row.data,
    tags: row.tags,
    version: row.version,
    downloadsCount: row.downloads_count,
    latestDownloadsCount: row.latest_downloads_count,
    avgRating: row.avg_rating,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    nameSort: sortKey(row.name),
    creatorNameSort: sortKey(row.creator_name),
    deleted: false,
  };
}

// Lucene refuses a term of more than 32,766 bytes; nobody can tell an order past the first 200 characters apart.
const SORT_KEY_CHARACTERS = 200;

/** Sorts without regard to letter case and accents. Computed here because a normalizer of the index can only lower the case. */
export function sortKey(text: string): string {
  const folded = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();
  return [...folded].slice(0, SORT_KEY_CHARACTERS).join('');
}
