import type { SearchedIndex } from '@ugc/api/search/index-lookup';
import { INDEX_BODY, mappedFields, MAPPING_VERSION } from '@ugc/shared/contracts/content-index';

const FIELDS = new Set(mappedFields(INDEX_BODY.mappings.properties));

/** What the API knows of an index that this code has created. */
export function newestIndex(name = 'content', shards = 1): SearchedIndex {
  return { name, mappingVersion: MAPPING_VERSION, fields: FIELDS, shards, hasData: true, publicDownloads: 'all' };
}
