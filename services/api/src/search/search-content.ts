import { RESULT_WINDOW } from '@ugc/shared/contracts/content-index';
import type { estypes } from '@elastic/elasticsearch';
import { createHash } from 'node:crypto';
import { badRequest, type Problem } from '../http/problem.ts';
import type { ListParameters } from './list-parameters.ts';
import { toPage } from './page.ts';
import type { PageRenderer } from './page-renderer.ts';
import { readSearchResponse } from './render-page.ts';
import { requestSearch, type SearchClient, type SearchSource } from './request-search.ts';
import { buildQuery, buildSort } from './search-query.ts';
import type { SearchedIndex, SearchedIndexLookup } from './searched-index.ts';
import { searchedTogether, withSearchedIndex, type Deadline } from './with-searched-index.ts';

export type SearchDeps = SearchSource & { alias: string; pages: PageRenderer; searchedIndex: SearchedIndexLookup };

const SEARCH_TIMEOUT_MS = 1_500;
/** For all searches of one list request: a page that reaches past the result window takes two. */
const LIST_TIMEOUT_MS = 2_000;

/**
 * @returns the page as JSON in UTF-8
 * @throws Problem 400 for a page that from/size paging cannot reach · errors of `requestSearch`, `withSearchedIndex`
 */
export async function searchContent(deps: SearchDeps, parameters: ListParameters, client: SearchClient): Promise<Buffer> {
  const deadline = { ...client, signal: AbortSignal.any([client.disconnected, AbortSignal.timeout(LIST_TIMEOUT_MS)]) };
  return withSearchedIndex(deps, deadline, (index) => searchIndex({ ...deps, index }, parameters, deadline));
}

type IndexDeps = SearchDeps & { index: SearchedIndex };

async function searchIndex(deps: IndexDeps, parameters: ListParameters, deadline: Deadline): Promise<Buffer> {
  const { prompt, page, size, sort, include, ...filters } = parameters;
  const { shards } = deps.index;
  const query = { query: buildQuery(prompt, filters, deps.index), sort: buildSort(sort, prompt) };
  const from = page * size;
  const search = (request: estypes.SearchRequest) => requestSearch(deps, toRequest(deps, request), deadline);
  const render = async (request: estypes.SearchRequest): Promise<Buffer> =>
    deps.pages.render(await search(request), { page, size, includeTags: include === 'tags', shards }, deadline.signal);

  if (from + size <= RESULT_WINDOW) return render({ ...query, from, size });
  const { total } = readSearchResponse(await search({ query: query.query, size: 0 }), shards);
  if (from >= total) return Buffer.from(JSON.stringify(toPage([], { number: page, size, total })));
  if (total > RESULT_WINDOW) throw pageTooDeep(page, size);
  return render({ ...query, from, size: total - from });
}

function toRequest({ alias, index }: IndexDeps, search: estypes.SearchRequest): estypes.SearchRequest {
  return {
    index: searchedTogether(alias, index),
    ...search,
    track_total_hits: true,
    allow_partial_search_results: false,
    timeout: `${SEARCH_TIMEOUT_MS}ms`,
    // Scores differ slightly between shard copies, so all pages of a query come from the same copy.
    preference: createHash('sha256').update(JSON.stringify(search.query)).digest('hex'),
  };
}

function pageTooDeep(page: number, size: number): Problem {
  const detail = `page ${page} of size ${size} reaches past item ${RESULT_WINDOW}; use a narrower prompt or the opposite sort order`;
  return badRequest('The page is too deep.', [{ parameter: 'page', detail }]);
}
