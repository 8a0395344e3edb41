import type { estypes } from '@elastic/elasticsearch';
import type { ContentDocument } from '@ugc/shared/contracts/content-index';
import { fromDocument, withTags } from '../content/content-item.ts';
import { toPage } from './page.ts';

/** Elasticsearch is unavailable or searched only a part of the index. The API returns an error, no incomplete page. */
export class SearchFailed extends Error {
  override readonly name = 'SearchFailed';
}

export type PageRequest = { page: number; size: number; includeTags: boolean };

/** Pure, so that any thread can run it. @throws SearchFailed as `readSearchResponse` */
export function renderPage(response: Uint8Array, { page, size, includeTags }: PageRequest): Buffer {
  const { hits, total } = readSearchResponse(response);
  const items = hits.map((document) => withTags(fromDocument(document), document.tags, includeTags));
  return Buffer.from(JSON.stringify(toPage(items, { number: page, size, total })));
}

/** @throws SearchFailed when the response does not cover the complete index */
export function readSearchResponse(response: Uint8Array): { hits: ContentDocument[]; total: number } {
  const parsed = JSON.parse(Buffer.from(response.buffer, response.byteOffset, response.byteLength).toString()) as estypes.SearchResponse;
  if (parsed.timed_out) throw new SearchFailed('the search timed out');
  if (parsed._shards.failed > 0) throw new SearchFailed(`${parsed._shards.failed} shards failed`);
  const total = parsed.hits.total as estypes.SearchTotalHits;
  return { hits: parsed.hits.hits.map((hit) => hit._source as ContentDocument), total: total.value };
}
