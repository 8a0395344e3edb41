import type { IndexedContent } from '@ugc/shared/contracts/content';
import type { ContentDocument, Tombstone } from '@ugc/shared/contracts/content-index';

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

// Lucene's longest term has 32,766 bytes. The first 200 characters are enough to sort names.
const SORT_KEY_CHARACTERS = 200;

/** Sorts without regard to case and accents. A normalizer of Elasticsearch could not also trim and shorten the text. */
export function sortKey(text: string): string {
  const folded = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();
  return [...folded].slice(0, SORT_KEY_CHARACTERS).join('');
}
