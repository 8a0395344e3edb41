import type { estypes } from '@elastic/elasticsearch';
import { STOP_WORDS } from '@ugc/text/languages/languages';
import { toStored, type Definitions } from '@ugc/fields/definition';
import type { IndexedFields } from '@ugc/fields/index-fields';
import type { Values } from '@ugc/fields/values';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import type { IncludedFields, ItemFields, PictureField, Popularity } from './content.ts';
import type { DatabaseIdentity } from './database-identity.ts';

/** The version of the mapping below, of its settings and of the text rules: that of the indices which this code creates. */
export const MAPPING_VERSION = NEWEST_RULES.mappingVersion;

/**
 * It has all fields of a list, so a list takes one request; `data` is missing in an index of INDEX_DATA=false. Times are
 * ISO 8601 in UTC.
 */
export type ContentDocument = ListedFields & SearchedFields & { deleted: false };

/** `values`: those of declared fields as responses have them; undefined without any. An index of 1.0.0 lacks `Popularity`. */
type ListedFields = ItemFields &
  Omit<IncludedFields, 'fields'> &
  PictureField &
  Partial<Popularity> & { nameSort: string; creatorNameSort: string; values?: Values };

/** Only indexed: `_source` does not contain them. */
export type SearchedFields = {
  /**
   * Folded and separated by the `TextRules` of the index. `repeated` has the texts with a weight above 1 again: the name
   * twice, the tags once. `description`: with the searched texts of declared fields behind it, if there are any.
   */
  folded: { name: string; tags: string[]; description: string | string[]; creatorName: string; repeated: string[] };
  /** Extracted by `extractLiterals`. */
  literals: string[];
  /** Made by `itemKeysOf`. An index of 1.0.0 lacks `nameParts`. */
  forms: string[];
  nameParts?: string[];
  /** Made by `nameKeys` of the `TextRules`. */
  nameKey: string[];
  /** Made by `tagKey`. */
  tagKeys: string[];
  /** Counted by facets: the id of the creator, and the lower bounds of the full stars and of the power of ten. */
  facets: { creatorId: string; stars: string; downloads: string; userDownloads?: string };
  /** The values of declared fields, as the mapping has them; undefined without any. */
  fields?: IndexedFields;
  /** Sorts by `hot`; `heatWeek` of `Popularity` by `trending`. */
  heatDay?: number | null;
  /** Sorts by `best`, without the score of a prompt. */
  quality: number;
  /** Multiplies the score of a prompt that is sorted by `best`. */
  qualityFactor: number;
};

/** Bounds the ratio of two factors: an item never passes one whose words match more than 16/9 times as well. */
export const QUALITY_FACTOR = { min: 3 / 4, max: 4 / 3 };

// In a million items, a list with a prompt takes 6 % less time if it excludes deleted items instead of requiring live
// ones. A list without a prompt takes more: 29 instead of 21 ms.
export const DELETED: estypes.QueryDslQueryContainer = { term: { deleted: true } };
export const LIVE: estypes.QueryDslQueryContainer = { term: { deleted: false } };

/** Keeps the version of a deleted item: without a document, Elasticsearch forgets it after 60 s (index.gc_deletes). */
export type Tombstone = { contentId: number; deleted: true };

// `english` matches inflected forms ("runs", "running"); `folded` is for phrases, typing errors and prefixes.
const SETTINGS: estypes.IndicesIndexSettings = {
  number_of_shards: 1,
  auto_expand_replicas: '0-1',
  // Set explicitly: by default an index that was not searched for 30 s is not refreshed.
  refresh_interval: '1s',
  // The order of the default list. Otherwise it visits every item, since the newest ones are the last of each segment.
  sort: { field: ['createdAt', 'contentId'], order: ['desc', 'desc'] },
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

// Indexed, 17 bytes of the index for each name: only so does Elasticsearch skip the items that come after a page.
const sortKey: estypes.MappingProperty = { type: 'keyword' };
const stored: estypes.MappingProperty = { type: 'keyword', index: false, doc_values: false };
const searched: estypes.MappingProperty = { ...stored, copy_to: ['text', 'words'] };
// Lucene refuses a document with a term of more than 32,766 bytes. No text makes such a key; were one made, it would be lost.
const exact: estypes.MappingProperty = { type: 'keyword', doc_values: false, ignore_above: 8_191 };

// Elasticsearch counts a keyword twice as fast as a number. Its global ordinals are built when they are first needed: were it
// by each refresh, as in 1.0.0, items would be searchable the later, the more distinct tags and creators there are.
const counted: estypes.MappingProperty = { type: 'keyword', index: false };
const suggested: estypes.MappingProperty = {
  type: 'text',
  analyzer: 'folded',
  norms: false,
  index_prefixes: { min_chars: 1, max_chars: 12 },
};

/** A field that is only returned needs no property: `_source` has it. */
const PROPERTIES = {
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
  // All folded fields, stemmed, without positions: the name three times, the tags twice. This is BM25F, in which a weight
  // multiplies occurrences and length.
  text: { type: 'text', analyzer: 'english', index_options: 'freqs' },
  // All folded fields, not stemmed. `index_prefixes` makes a prefix query as fast as a term query, `index_phrases` a
  // phrase of two words.
  words: { type: 'text', analyzer: 'folded', index_prefixes: { min_chars: 2, max_chars: 8 }, index_phrases: true },
  literals: exact,
  forms: exact,
  nameParts: exact,
  nameKey: exact,
  // Facets and suggestions aggregate it.
  tagKeys: { ...counted, index: true },
  facets: { properties: { creatorId: counted, stars: counted, downloads: counted, userDownloads: counted } },
  quality: { type: 'double' },
  qualityFactor: { type: 'double', index: false },
  data: stored,
  version: { type: 'integer' },
  downloadsCount: { type: 'long' },
  latestDownloadsCount: { type: 'long' },
  userDownloads: { type: 'long' },
  latestUserDownloads: { type: 'long' },
  heatDay: { type: 'double' },
  heatWeek: { type: 'double' },
  avgRating: { type: 'double' },
  createdAt: { type: 'date' },
  updatedAt: { type: 'date' },
  nameSort: sortKey,
  creatorNameSort: sortKey,
  deleted: { type: 'boolean' },
} satisfies Partial<Record<Exclude<keyof ContentDocument, 'fields' | 'values'> | 'text' | 'words', estypes.MappingProperty>>;

export const INDEX_BODY = {
  settings: SETTINGS,
  // Ignores fields that are not in the mapping. With `strict` an older index would reject the documents of newer code.
  mappings: {
    dynamic: false,
    _meta: { version: MAPPING_VERSION },
    _source: {
      excludes: [
        'folded',
        'literals',
        'forms',
        'nameParts',
        'nameKey',
        'tagKeys',
        'facets',
        'fields',
        'heatDay',
        'quality',
        'qualityFactor',
      ] satisfies (keyof SearchedFields)[],
    },
    properties: PROPERTIES,
  },
} satisfies Omit<estypes.IndicesCreateRequest, 'index'>;

/** @returns the fields that a mapping has, such as `facets.stars` and `tags.exact` */
export function mappedFields(properties: Record<string, estypes.MappingProperty> = {}, path = ''): string[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    const nested = 'properties' in property ? mappedFields(property.properties, `${path}${name}.`) : [`${path}${name}`];
    return [...nested, ...mappedFields(property.fields, `${path}${name}.`)];
  });
}

/**
 * What the index carries beside its fields. Elasticsearch replaces `_meta` as a whole, so it is always written completely.
 * @param definitions by which the documents of the index are made
 */
export function indexMeta(mappingVersion: number, owner: DatabaseIdentity, definitions: Definitions): estypes.Metadata {
  return { version: mappingVersion, owner, ...(definitions.size > 0 && { fields: toStored(definitions) }) };
}

/** @returns a name such as `content-v1-20261121093000123` */
export function newIndexName(alias: string, now: Date): string {
  return `${alias}-v${MAPPING_VERSION}-${now.toISOString().replace(/\D/g, '')}`;
}

/** @returns the alias that the name of an index begins with; undefined if no release has given such a name */
export function aliasOf(indexName: string): string | undefined {
  return /^(?<alias>.+)-v\d+-\d+$/.exec(indexName)?.groups?.['alias'];
}

/** Also matches names of other aliases: with `content`, those of `content-videos`. `aliasOf` tells them apart. */
export function indexPattern(alias: string): string {
  return `${alias}-v*`;
}
