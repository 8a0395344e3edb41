import type { estypes } from '@elastic/elasticsearch';
import { toDocument } from '@ugc/indexer/documents/document';
import { textRulesOf } from '@ugc/shared/search-text/text-rules';
import { VERSION_4_BODY } from './index-version-4.ts';
import { createOlderIndex, type OlderStores } from './older-index.ts';

// What the release with mapping version 5 writes to Elasticsearch. It stays as it is when the mapping changes.

const sortKey: estypes.MappingProperty = { type: 'keyword', index: false };
const stored: estypes.MappingProperty = { type: 'keyword', index: false, doc_values: false };
const searched: estypes.MappingProperty = { ...stored, copy_to: ['text', 'words'] };
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
    properties: {
      name: { ...searched, fields: { words: suggested } },
      tags: searched,
      description: searched,
      creatorName: searched,
      repeated: { ...stored, copy_to: 'text' },
    },
  },
  text: { type: 'text', analyzer: 'english', index_options: 'freqs' },
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

export const VERSION_5_BODY = {
  settings: VERSION_4_BODY.settings,
  mappings: {
    dynamic: false,
    _meta: { version: 5 },
    _source: { excludes: ['folded', 'literals', 'nameKey', 'tagKeys', 'facets'] },
    properties: PROPERTIES,
  },
} satisfies Omit<estypes.IndicesCreateRequest, 'index'>;

/** Creates what the release with mapping version 5 leaves behind. */
export function createVersion5Index(stores: OlderStores): Promise<string> {
  return createOlderIndex(stores, { version: 5, body: VERSION_5_BODY, toDocument: (row) => toDocument(row, textRulesOf(5)) });
}
