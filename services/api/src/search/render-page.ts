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

/** @property shards the number of shards that the search must cover */
export type PageRequest = { page: number; size: number; includeTags: boolean; shards: number };

/** Pure, so that any thread can run it. @throws SearchFailed, IndexMoved as `readSearchResponse` */
export function renderPage(response: Uint8Array, { page, size, includeTags, shards }: PageRequest): Buffer {
  const { hits, total } = readSearchResponse(response, shards);
  const items = hits.map((document) => withTags(fromDocument(document), document.tags, includeTags));
  return Buffer.from(JSON.stringify(toPage(items, { number: page, size, total })));
}

/** @throws SearchFailed when the response does not cover the complete index · IndexMoved when it covers other shards */
export function readSearchResponse(response: Uint8Array, shards: number): { hits: ContentDocument[]; total: number } {
  const parsed = JSON.parse(Buffer.from(response.buffer, response.byteOffset, response.byteLength).toString()) as estypes.SearchResponse;
  if (parsed._shards.total !== shards) throw new IndexMoved();
  if (parsed.timed_out) throw new SearchFailed('the search timed out');
  if (parsed._shards.failed > 0) throw new SearchFailed(`${parsed._shards.failed} shards failed`);
  const total = parsed.hits.total as estypes.SearchTotalHits;
  return { hits: parsed.hits.hits.map((hit) => hit._source as ContentDocument), total: total.value };
}
