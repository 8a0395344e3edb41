import type { estypes } from '@elastic/elasticsearch';

/** The contract between the indexer, which writes documents, and the API, which searches them. */

/** Raise with every change of the mapping or the settings: they take effect by a rebuild, `npx pnpm index:rebuild`. */
export const MAPPING_VERSION = 2;

/** What an index holds of one item: all that a list shows, so that a list is one request. Times are ISO 8601 in UTC. */
export type ContentDocument = {
  contentId: number;
  creatorId: number;
  creatorName: string;
  name: string;
  description: string;
  data: string;
  tags: string[];
  version: number;
  downloadsCount: number;
  latestDownloadsCount: number;
  avgRating: number;
  createdAt: string;
  updatedAt: string;
  nameSort: string;
  creatorNameSort: string;
  deleted: false;
};

/**
 * What is left of a deleted item. Elasticsearch forgets the version of a document that is really deleted after a minute, and
 * would take an older one again.
 */
export type Tombstone = { contentId: number; deleted: true };

/** Lucene's classic English stop words. A prompt's words are checked against the same list that the index leaves out. */
export const STOP_WORDS =
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(
    ' ',
  );

/** How far from/size paging reaches, in items. */
export const RESULT_WINDOW = 100_000;

// `english` finds word forms ("runs", "running"); `folded` keeps words as they are, for phrases, typing errors and unfinished words.
const SETTINGS: estypes.IndicesIndexSettings = {
  number_of_shards: 1,
  auto_expand_replicas: '0-1',
  // Named explicitly, an index is refreshed whether or not somebody has searched it lately.
  refresh_interval: '1s',
  max_result_window: RESULT_WINDOW,
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
const sortKey: estypes.MappingProperty = { type: 'keyword', index: false };

const PROPERTIES: Record<keyof ContentDocument | 'words', estypes.MappingProperty> = {
  contentId: { type: 'long' },
  creatorId: { type: 'long' },
  creatorName: searched,
  name: searched,
  description: searched,
  tags: { ...searched, fields: { exact: { type: 'keyword' } } },
  // Everything that is searched, unstemmed. `index_prefixes` makes an unfinished word as cheap as a finished one.
  words: { type: 'text', analyzer: 'folded', index_prefixes: { min_chars: 2, max_chars: 8 } },
  data: { type: 'keyword', index: false, doc_values: false },
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

export const INDEX_BODY = {
  settings: SETTINGS,
  // A field that an older index does not know is kept by it, unsearched, until the rebuild; refused, it would stop all indexing.
  mappings: { dynamic: false, _meta: { version: MAPPING_VERSION }, properties: PROPERTIES },
} satisfies Omit<estypes.IndicesCreateRequest, 'index'>;

/** @returns a new index's name, such as `content-v1-20261121093000123` */
export function newIndexName(alias: string, now: Date): string {
  return `${alias}-v${MAPPING_VERSION}-${now.toISOString().replace(/\D/g, '')}`;
}

/** The pattern that every index of an alias fits. */
export function indexPattern(alias: string): string {
  return `${alias}-v*`;
}
