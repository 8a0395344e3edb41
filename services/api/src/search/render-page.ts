import type { estypes } from '@elastic/elasticsearch';
import type { ContentDocument } from '@ugc/shared/contracts/content-index';
import { fromDocument, withTags } from '../content/content-item.ts';
import { toPage } from './page.ts';

/** Elasticsearch is unavailable or searched only a part of the index. The API returns an error, no incomplete page. */
export class SearchFailed extends Error {
  override readonly name = 'SearchFailed';
}

/** The response is from another index than the one that its query was built for, or from more than that one. */
export class IndexMoved extends SearchFailed {
  constructor() {
    super('the alias moves from one index to another');
  }
}

/**
 * `shards` is the number of shards that the search must cover. `total` is undefined if the response contains it. With
 * `reversed`, the hits are in the opposite order.
 */
export type PageRequest = {
  page: number;
  size: number;
  includeTags: boolean;
  shards: number;
  total?: number | undefined;
  reversed?: boolean | undefined;
};

/** Pure, so that any thread can run it. @throws IndexMoved when it covers other shards · SearchFailed */
export function renderPage(response: Uint8Array, request: PageRequest): Buffer {
  const { hits, _shards: shards } = parseSearchResponse(response);
  if (shards.total !== request.shards) throw new IndexMoved();
  const documents = hits.hits.map((hit) => hit._source as ContentDocument);
  if (request.reversed) documents.reverse();
  const items = documents.map((document) => withTags(fromDocument(document), document.tags, request.includeTags));
  const total = request.total ?? totalOf(hits);
  return Buffer.from(JSON.stringify(toPage(items, { number: request.page, size: request.size, total })));
}

/** @throws SearchFailed when the response does not cover the complete index */
export function parseSearchResponse(response: Uint8Array): estypes.SearchResponse {
  const parsed = JSON.parse(Buffer.from(response.buffer, response.byteOffset, response.byteLength).toString()) as estypes.SearchResponse;
  if (parsed.timed_out) throw new SearchFailed('the search timed out');
  if (parsed._shards.failed > 0) throw new SearchFailed(`${parsed._shards.failed} shards failed`);
  return parsed;
}

/** The exact number of matching items, of a search with `track_total_hits`. */
export function totalOf({ total }: estypes.SearchHitsMetadata): number {
  return (total as estypes.SearchTotalHits).value;
}
