import { pickItemFields, type IndexedContent } from '@ugc/shared/contracts/content';
import type { ContentDocument, SearchedFields, Tombstone } from '@ugc/shared/contracts/content-index';
import { foldText } from '@ugc/shared/search-text/fold-text';
import { extractLiterals } from '@ugc/shared/search-text/literals';
import { nameKey } from '@ugc/shared/search-text/name-key';
import { tagKey } from '@ugc/shared/search-text/tag-key';
import { separateTerms } from '@ugc/shared/search-text/separate-terms';

export function toDocument(row: IndexedContent): ContentDocument | Tombstone {
  if (row.deletedAt !== null) return { contentId: row.contentId, deleted: true };
  return {
    ...pickItemFields(row),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    tags: row.tags,
    nameSort: sortKey(row.name),
    creatorNameSort: sortKey(row.creatorName),
    ...searchedFields(row),
    deleted: false,
  };
}

function searchedFields(row: IndexedContent): SearchedFields {
  const [name = '', creatorName = '', description = '', ...tags] = [row.name, row.creatorName, row.description, ...row.tags].map(foldText);
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
      creatorId: String(row.creatorId),
      stars: String(Math.floor(row.avgRating)),
      downloads: String(powerOfTen(row.downloadsCount)),
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
