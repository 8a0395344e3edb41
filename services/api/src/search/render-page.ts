import { parseComplete, totalOf } from './response.ts';
import type { ContentDocument } from '@ugc/shared/contracts/content-index';
import { fromDocument, withTags, type ContentItem } from '../content/content-item.ts';
import { highlightItem } from './highlight/fragments.ts';
import { MarkFinder } from './highlight/mark-finder.ts';
import type { SearchedText } from './highlight/searched-text.ts';
import type { Explanation } from './prompt/explanation.ts';
import { toPage } from './page.ts';

/**
 * `shards` is the number of shards that the search must cover. `total` is undefined if the response contains it. With
 * `reversed`, the hits are in the opposite order.
 */
export type PageRequest = {
  page: number;
  size: number;
  includeTags: boolean;
  /** What is marked in `highlights`; undefined for a page without them. */
  highlighted: SearchedText | undefined;
  interpretation: Explanation | undefined;
  shards: number;
  total?: number | undefined;
  reversed?: boolean | undefined;
};

/** Pure, so that any thread can run it. @throws as `parseComplete` */
export function renderPage(response: Uint8Array, request: PageRequest): Buffer {
  const { hits } = parseComplete(response, request.shards);
  const documents = hits.hits.map((hit) => hit._source as ContentDocument);
  if (request.reversed) documents.reverse();
  const items = toItems(documents, request);
  const page = toPage(items, { number: request.page, size: request.size, total: request.total ?? totalOf(hits) });
  return Buffer.from(JSON.stringify({ ...page, interpretation: request.interpretation }));
}

function toItems(documents: ContentDocument[], { includeTags, highlighted }: PageRequest): ContentItem[] {
  const finder = highlighted && new MarkFinder(highlighted);
  return documents.map((document) => {
    const item = withTags(fromDocument(document), document.tags, includeTags);
    return finder ? { ...item, highlights: highlightItem(document, finder) } : item;
  });
}
