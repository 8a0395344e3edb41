import { NO_FIELDS, type Definitions } from '@ugc/fields/definition';
import { indexedFields, searchedTexts } from '@ugc/fields/index-fields';
import { pickItemFields, type IndexedContent, type Popularity } from '@ugc/shared/contracts/content';
import type { ContentDocument, SearchedFields, Tombstone } from '@ugc/shared/contracts/content-index';
import { extractLiterals } from '@ugc/text/words/literals';
import { tagKey } from '@ugc/text/rules/keys';
import { itemKeysOf } from '@ugc/text/forms/form-keys';
import { qualityOf } from './quality.ts';
import type { NameKeys, TextRules } from '@ugc/text/rules/text-rules';

/**
 * @param rules of the index that gets the document
 * @param definitions the declared fields of that index, and not those that are declared now
 */
export function toDocument(row: IndexedContent, rules: TextRules, definitions: Definitions = NO_FIELDS): ContentDocument | Tombstone {
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
    ...(Object.keys(row.fields).length > 0 && { values: row.fields }),
    ...(rules.hasPopularity && popularityOf(row)),
    ...searchedFields(row, rules, definitions),
    deleted: false,
  };
}

function searchedFields(row: IndexedContent, rules: TextRules, definitions: Definitions): SearchedFields {
  const { fold, separate } = rules;
  const [name = '', creatorName = '', description = '', ...tags] = [row.name, row.creatorName, row.description, ...row.tags].map(fold);
  const texts = searchedTexts(row.fields, definitions);
  const others = texts.map(fold);
  const { forms, nameParts } = itemKeysOf({ ...row, description: [row.description, ...texts].join('\n') }, rules);
  const fields = indexedFields(row.fields, definitions, rules.sortKey);
  return {
    folded: {
      name: separate(name),
      tags: tags.map(separate),
      description: others.length === 0 ? separate(description) : [description, ...others].map(separate),
      creatorName: separate(creatorName),
      repeated: [name, name, ...tags].map(separate),
    },
    literals: extractLiterals([name, ...tags, creatorName, description, ...others].join('\n')),
    forms,
    ...(rules.hasParts && { nameParts }),
    nameKey: keysOf(rules.nameKeys(row.name)),
    tagKeys: row.tags.map((tag) => tagKey(tag, rules)),
    facets: {
      creatorId: String(row.creatorId),
      stars: String(Math.floor(row.avgRating)),
      downloads: String(powerOfTen(row.downloadsCount)),
      ...(rules.hasPopularity && { userDownloads: String(powerOfTen(row.userDownloads)) }),
    },
    ...(fields && { fields }),
    ...(rules.hasPopularity && { heatDay: row.heatDay }),
    // A process of 1.0.0 writes the same documents to its index.
    ...qualityOf({ ...row, downloadsCount: rules.hasPopularity ? row.userDownloads : row.downloadsCount }),
  };
}

function popularityOf({ userDownloads, latestUserDownloads, heatWeek }: IndexedContent): Popularity {
  return { userDownloads, latestUserDownloads, heatWeek };
}

function keysOf({ whole, loose, joined }: NameKeys): string[] {
  return [whole, ...loose, ...joined];
}

/** @returns the largest power of ten that is not greater than the count, or 0 */
function powerOfTen(count: number): number {
  return count === 0 ? 0 : 10 ** (String(count).length - 1);
}
