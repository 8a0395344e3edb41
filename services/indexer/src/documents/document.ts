import type { IndexedContent } from '@ugc/shared/contracts/content';
import type { ContentDocument, SearchedFields, Tombstone } from '@ugc/shared/contracts/content-index';
import { foldText } from '@ugc/shared/search-text/fold-text';
import { extractLiterals } from '@ugc/shared/search-text/literals';
import { nameKey } from '@ugc/shared/search-text/name-key';
import { tagKey } from '@ugc/shared/search-text/tag-key';
import { separateTerms } from '@ugc/shared/search-text/separate-terms';

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
    ...searchedFields(row),
    deleted: false,
  };
}

function searchedFields(row: IndexedContent): SearchedFields {
  const [name = '', creatorName = '', description = '', ...tags] = [row.name, row.creator_name, row.description, ...row.tags].map(foldText);
  return {
    folded: {
      name: separateTerms(name),
      tags: tags.map(separateTerms),
      description: separateTerms(description),
      creatorName: separateTerms(creatorName),
      repeated: [name, name, ...tags].map(separateTerms),
    },
    literals: extractLiterals([name, ...tags, creatorName, description].join('\n')),
    nameKey: nameKey(row.name),
    tagKeys: row.tags.map(tagKey),
    facets: {
      creatorId: String(row.creator_id),
      stars: String(Math.floor(row.avg_rating)),
      downloads: String(powerOfTen(row.downloads_count)),
    },
  };
}

/** @returns the largest power of ten that is not greater than the count, or 0 */
function powerOfTen(count: number): number {
  return count === 0 ? 0 : 10 ** (String(count).length - 1);
}

// Lucene's longest term has 32,766 bytes. The first 200 characters are enough to sort names.
const SORT_KEY_CHARACTERS = 200;

/** Sorts without regard to case and accents. A normalizer of Elasticsearch could not also trim and shorten the text. */
export function sortKey(text: string): string {
  const folded = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();
  return [...folded].slice(0, SORT_KEY_CHARACTERS).join('');
}
