import type { estypes } from '@elastic/elasticsearch';
import type { ContentDocument } from '@ugc/shared/contracts/content-index';
import { fromDocument, withTags } from '../content/content-item.ts';
import { toPage } from './page.ts';

/** Elasticsearch did not answer, or not for the whole index. Never answered by a shorter page. */
export class SearchFailed extends Error {
  override readonly name = 'SearchFailed';
}

export type PageRequest = { page: number; size: number; includeTags: boolean };

/**
 * Makes the body of a page from the body of a search answer, both as JSON in UTF-8. Pure, so that it can run in any thread.
 * @throws SearchFailed when the answer is not of the whole index
 */
export function renderPage(answer: Uint8Array, { page, size, includeTags }: PageRequest): Buffer {
  const { hits, total } = readAnswer(answer);
  const items = hits.map((document) => withTags(fromDocument(document), document.tags, includeTags));
  return Buffer.from(JSON.stringify(toPage(items, { number: page, size, total })));
}

/** @throws SearchFailed */
export function readAnswer(answer: Uint8Array): { hits: ContentDocument[]; total: number } {
  const parsed = JSON.parse(Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength).toString()) as estypes.SearchResponse;
  if (parsed.timed_out) throw new SearchFailed('the search timed out');
  if (parsed._shards.failed > 0) throw new SearchFailed(`${parsed._shards.failed} shards failed`);
  const total = parsed.hits.total as estypes.SearchTotalHits;
  return { hits: parsed.hits.hits.map((hit) => hit._source as ContentDocument), total: total.value };
}
