import { pickItemFields, type IndexedContent } from '@ugc/shared/contracts/content';
import type { ContentDocument, SearchedFields, Tombstone } from '@ugc/shared/contracts/content-index';
import { extractLiterals } from '@ugc/text/words/literals';
import { tagKey } from '@ugc/text/rules/keys';
import { itemKeysOf } from '@ugc/text/forms/form-keys';
import { qualityOf } from './quality.ts';
import type { NameKeys, TextRules } from '@ugc/text/rules/text-rules';

/** @param rules of the index that gets the document */
export function toDocument(row: IndexedContent, rules: TextRules): ContentDocument | Tombstone {
  if (row.deletedAt !== null) return { contentId: row.contentId, deleted: true };
  return {
    ...pickItemFields(row),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    tags: row.tags,
    fileName: row.fileName,
    hasThumbnail: row.hasThumbnail,
    nameSort: rules.nameSortKey(row.name),
    creatorNameSort: rules.sortKey(row.creatorName),
    ...searchedFields(row, rules),
    deleted: false,
  };
}

function searchedFields(row: IndexedContent, rules: TextRules): SearchedFields {
  const { fold, separate } = rules;
  const [name = '', creatorName = '', description = '', ...tags] = [row.name, row.creatorName, row.description, ...row.tags].map(fold);
  const { forms, nameParts } = itemKeysOf(row, rules);
  return {
    folded: {
      name: separate(name),
      tags: tags.map(separate),
      description: separate(description),
      creatorName: separate(creatorName),
      repeated: [name, name, ...tags].map(separate),
    },
    literals: extractLiterals([name, ...tags, creatorName, description].join('\n')),
    forms,
    ...(rules.hasParts && { nameParts }),
    nameKey: keysOf(rules.nameKeys(row.name)),
    tagKeys: row.tags.map((tag) => tagKey(tag, rules)),
    facets: {
      creatorId: String(row.creatorId),
      stars: String(Math.floor(row.avgRating)),
      downloads: String(powerOfTen(row.downloadsCount)),
    },
    ...qualityOf(row),
  };
}

function keysOf({ whole, loose, joined }: NameKeys): string[] {
  return [whole, ...loose, ...joined];
}

/** @returns the largest power of ten that is not greater than the count, or 0 */
function powerOfTen(count: number): number {
  return count === 0 ? 0 : 10 ** (String(count).length - 1);
}
