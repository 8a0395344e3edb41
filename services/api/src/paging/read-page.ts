import type { estypes } from '@elastic/elasticsearch';
import { requestSearch, type SearchClient, type SearchSource } from '../searched-index/request-search.ts';
import type { SearchedIndex } from '../searched-index/searched-index.ts';
import { searchedTogether } from '../searched-index/with-searched-index.ts';
import { parseSearchResponse, totalOf } from '../searched-index/search-response.ts';
import { between } from './between.ts';
import { withPointInTime } from './point-in-time.ts';
import type { Search } from './sample.ts';
import { isScore, seek, type Bracket, type RankRange } from './seek.ts';
import { keysOf, reverse } from './sort-order.ts';
import { minScore } from './value-range.ts';

type Query = estypes.QueryDslQueryContainer;

/**
 * The position and the size of a page in a sorted list. The last key of the sort is unique. With `cached`, Elasticsearch
 * keeps the hits of a page near the beginning until a refresh changes the index.
 */
export type PageSearch = {
  query: Query;
  sort: estypes.SortCombinations[];
  from: number;
  size: number;
  preference: string;
  cached: boolean;
};

/**
 * The response contains the items of the page, in the opposite order if `reversed`. It contains the total if `total` is
 * undefined.
 */
export type FoundPage = { response: Buffer; total?: number; reversed?: boolean };

type PagingSource = SearchSource & { alias: string; index: SearchedIndex };
type PagingClient = SearchClient & { signal: AbortSignal };

export type Depths = {
  /** Up to this item, Elasticsearch pages itself. */
  plain: number;
  /** Beyond it, it pages within a section of this many items. At most index.max_result_window, 10,000 by default. */
  section: number;
};

// Measured: docs/decisions/0017-every-page-is-reachable.md.
const DEPTHS: Depths = { plain: 1_000, section: 5_000 };

/**
 * Reads any page of a list: near the beginning with one search, otherwise with about ten searches of a point in time.
 * @throws errors of `requestSearch` · Problem 429 of `startDeepPage`
 */
export async function readPage(source: PagingSource, page: PageSearch, client: PagingClient, depths = DEPTHS): Promise<FoundPage> {
  const { preference, cached, ...plain } = page;
  const searched = { index: searchedTogether(source.alias, source.index), preference };
  const searchWith = (common: estypes.SearchRequest): Search => {
    return (request) => requestSearch(source, { ...common, ...request }, client);
  };
  if (page.from + page.size <= depths.plain) {
    const search = searchWith({ ...searched, request_cache: cached });
    return { response: await search({ ...plain, track_total_hits: true }) };
  }
  const finishDeepPage = client.startDeepPage();
  const read = (id: string): Promise<FoundPage> => readDeepPage(searchWith({ pit: { id } }), page, depths);
  return withPointInTime({ elasticsearch: source.elasticsearch, ...searched }, read).finally(finishDeepPage);
}

async function readDeepPage(search: Search, { query, sort, from, size }: PageSearch, depths: Depths): Promise<FoundPage> {
  const counted = await search({ query, size: 0, track_total_hits: true });
  const total = totalOf(parseSearchResponse(counted).hits);
  if (from >= total) return { response: counted };
  const range = { query, sort, from, to: Math.min(from + size, total), total };
  const bracket = await seek(search, range, depths.section);
  return { ...(await readSection(search, range, bracket)), total };
}

async function readSection(search: Search, range: RankRange, bracket: Bracket): Promise<FoundPage> {
  const { query, sort, from, to } = range;
  const keys = keysOf(sort);
  const part = { size: to - from, track_total_hits: false };
  const forward = { sort, from: from - bracket.startRank, ...part };
  const backward = { sort: reverse(sort), from: bracket.endRank - to, ...part };
  const reversed = keys[0]?.descending ?? false;
  const bound = reversed ? bracket.end : bracket.start;
  if (bound && isScore(keys, bound)) {
    // `min_score` is a limit on one side only, so the best scores first are read from the end of the section.
    const min_score = minScore(bound.values[0] ?? null, bound.past === reversed);
    return { response: await search({ query, min_score, ...(reversed ? backward : forward) }), reversed };
  }
  const inSection: Query = { bool: { must: [query], filter: [between(query, keys, bracket)] } };
  return { response: await search({ query: inSection, ...forward }) };
}
