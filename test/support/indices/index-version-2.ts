import type { estypes } from '@elastic/elasticsearch';
import type { IndexedContent } from '@ugc/shared/contracts/content';
import { createOlderIndex, type OlderStores } from './older-index.ts';

// What the release with mapping version 2 writes to Elasticsearch. It stays as it is when the mapping changes.

const STOP_WORDS =
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(
    ' ',
  );

const SETTINGS: estypes.IndicesIndexSettings = {
  number_of_shards: 1,
  auto_expand_replicas: '0-1',
  refresh_interval: '1s',
  max_result_window: 100_000,
  analysis: {
    filter: {
      possessive: { type: 'stemmer', language: 'possessive_english' },
      stop_words: { type: 'stop', stopwords: STOP_WORDS },
    },
    analyzer: {
      english: { type: 'custom', tokenizer: 'standard', filter: ['possessive', 'lowercase', 'asciifolding', 'stop_words', 'porter_stem'] },
      folded: { type: 'custom', tokenizer: 'standard', filter: ['lowercase', 'asciifolding'] },
    },
  },
};

const searched: estypes.MappingProperty = { type: 'text', analyzer: 'english', copy_to: 'words' };
const sorted: estypes.MappingProperty = { type: 'keyword', index: false };

const PROPERTIES: Record<string, estypes.MappingProperty> = {
  contentId: { type: 'long' },
  creatorId: { type: 'long' },
  creatorName: searched,
  name: searched,
  description: searched,
  tags: { ...searched, fields: { exact: { type: 'keyword' } } },
  words: { type: 'text', analyzer: 'folded', index_prefixes: { min_chars: 2, max_chars: 8 } },
  data: { type: 'keyword', index: false, doc_values: false },
  version: { type: 'integer' },
  downloadsCount: { type: 'long' },
  latestDownloadsCount: { type: 'long' },
  avgRating: { type: 'double' },
  createdAt: { type: 'date' },
  updatedAt: { type: 'date' },
  nameSort: sorted,
  creatorNameSort: sorted,
  deleted: { type: 'boolean' },
};

export const VERSION_2_BODY = {
  settings: SETTINGS,
  mappings: { dynamic: false, _meta: { version: 2 }, properties: PROPERTIES },
} satisfies Omit<estypes.IndicesCreateRequest, 'index'>;

/** Creates what the release with mapping version 2 leaves behind. */
export function createVersion2Index(stores: OlderStores): Promise<string> {
  return createOlderIndex(stores, { version: 2, body: VERSION_2_BODY, toDocument: toVersion2Document });
}

export function toVersion2Document(row: IndexedContent): object {
  if (row.deletedAt !== null) return { contentId: row.contentId, deleted: true };
  return {
    contentId: row.contentId,
    creatorId: row.creatorId,
    creatorName: row.creatorName,
    name: row.name,
    description: row.description,
    data: row.data,
    tags: row.tags,
    version: row.version,
    downloadsCount: row.downloadsCount,
    latestDownloadsCount: row.latestDownloadsCount,
    avgRating: row.avgRating,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    nameSort: sortKey(row.name),
    creatorNameSort: sortKey(row.creatorName),
    deleted: false,
  };
}

const SORT_KEY_CHARACTERS = 200;

function sortKey(text: string): string {
  const folded = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();
  return [...folded].slice(0, SORT_KEY_CHARACTERS).join('');
}
