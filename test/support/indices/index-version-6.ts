import type { estypes } from '@elastic/elasticsearch';
import { toDocument } from '@ugc/indexer/documents/document';
import type { ContentDocument, Tombstone } from '@ugc/shared/contracts/content-index';
import { textRulesOf } from '@ugc/shared/search-text/text-rules';
import { VERSION_5_BODY } from './index-version-5.ts';
import { createOlderIndex, type OlderStores } from './older-index.ts';

// What the release with mapping version 6 writes to Elasticsearch. It stays as it is when the mapping changes.

/** Only the text rules differ from those of version 5. */
export const VERSION_6_BODY = {
  ...VERSION_5_BODY,
  mappings: { ...VERSION_5_BODY.mappings, _meta: { version: 6 } },
} satisfies Omit<estypes.IndicesCreateRequest, 'index'>;

/** Creates what the release with mapping version 6 leaves behind. */
export function createVersion6Index(stores: OlderStores): Promise<string> {
  const toOlder = (row: Parameters<typeof toDocument>[0]): object => withoutQuality(toDocument(row, textRulesOf(6)));
  return createOlderIndex(stores, { version: 6, body: VERSION_6_BODY, toDocument: toOlder });
}

function withoutQuality(document: ContentDocument | Tombstone): object {
  return { ...document, quality: undefined, qualityFactor: undefined };
}
