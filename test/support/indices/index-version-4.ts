import type { estypes } from '@elastic/elasticsearch';
import { toDocument } from '@ugc/indexer/documents/document';
import { textRulesOf } from '@ugc/shared/search-text/text-rules';
import { createOlderIndex, type OlderStores } from './older-index.ts';

// What the release with mapping version 4 writes to Elasticsearch. It stays as it is when the mapping changes.

const STOP_WORDS =
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(
    ' ',
  );

const SETTINGS: estypes.IndicesIndexSettings = {
  number_of_shards: 1,
  auto_expand_replicas: '0-1',
  refresh_interval: '1s',
  analysis: {
    filter: {
      possessive: { type: 'stemmer', language: 'possessive_english' },
      stop_words: { type: 'stop', stopwords: STOP_WORDS },
    },
    analyzer: {
      english: { type: 'custom', tokenizer: 'standard', filter: ['possessive', 'lowercase', 'asciifolding', 'stop_words', 'porter_stem'] },
      folded: { type: 'custom', tokenizer: 'standard', filter: ['possessive', 'lowercase', 'asciifolding'] },
    },
  },
};

const searched: estypes.MappingProperty = { type: 'text', analyzer: 'english', copy_to: 'words' };
const sortKey: estypes.MappingProperty = { type: 'keyword', index: false };
const stored: estypes.MappingProperty = { type: 'keyword', index: false, doc_values: false };
const exact: estypes.MappingProperty = { type: 'keyword', doc_values: false };
const counted: estypes.MappingProperty = { type: 'keyword', index: false, eager_global_ordinals: true };
const suggested: estypes.MappingProperty = {
  type: 'text',
  analyzer: 'folded',
  norms: false,
  index_prefixes: { min_chars: 1, max_chars: 12 },
};

const PROPERTIES: Record<string, estypes.MappingProperty> = {
  contentId: { type: 'long' },
  creatorId: { type: 'long' },
  creatorName: stored,
  name: { type: 'keyword', index: false },
  description: stored,
  tags: { ...stored, fields: { exact } },
  folded: {
    properties: { name: { ...searched, fields: { words: suggested } }, tags: searched, description: searched, creatorName: searched },
  },
  words: { type: 'text', analyzer: 'folded', index_prefixes: { min_chars: 2, max_chars: 8 }, index_phrases: true },
  literals: exact,
  nameKey: exact,
  tagKeys: { ...counted, index: true },
  facets: { properties: { creatorId: counted, stars: counted, downloads: counted } },
  data: stored,
  version: { type: 'integer' },
  downloadsCount: { type: 'long' },
  latestDownloadsCount: { type: 'long' },
  avgRating: { type: 'double' },
  createdAt: { type: 'date' },
  updatedAt: { type: 'date' },
  nameSort: sortKey,
  creatorNameSort: sortKey,
  deleted: { type: 'boolean' },
};

export const VERSION_4_BODY = {
  settings: SETTINGS,
  mappings: {
    dynamic: false,
    _meta: { version: 4 },
    _source: { excludes: ['folded', 'literals', 'nameKey', 'tagKeys', 'facets'] },
    properties: PROPERTIES,
  },
} satisfies Omit<estypes.IndicesCreateRequest, 'index'>;

/** Creates what the release with mapping version 4 leaves behind. It ignores the fields that are new since. */
export function createVersion4Index(stores: OlderStores): Promise<string> {
  return createOlderIndex(stores, { version: 4, body: VERSION_4_BODY, toDocument: (row) => toDocument(row, textRulesOf(4)) });
}
