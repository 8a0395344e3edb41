import { RESULT_WINDOW } from '@ugc/shared/contracts/content-index';
import type { estypes } from '@elastic/elasticsearch';
import { createHash } from 'node:crypto';
import { badRequest, type Problem } from '../http/problem.ts';
import type { ListParameters } from './list-parameters.ts';
import { toPage } from './page.ts';
import type { PageRenderer } from './page-renderer.ts';
import { readAnswer } from './render-page.ts';
import { requestSearch, type SearchCaller, type SearchSource } from './request-search.ts';
import { buildQuery, buildSort } from './search-query.ts';

export type SearchDeps = SearchSource & { alias: string; pages: PageRenderer };

const SEARCH_TIMEOUT_MS = 1_500;
/** For all that one list asks: a page past the window takes a second search. */
const LIST_TIMEOUT_MS = 2_000;

/**
 * One page of what a prompt matches, with the exact number of all matches; one request to Elasticsearch.
 * @returns the page as JSON in UTF-8
 * @throws Problem 400 for a page inside the result set that from/size paging does not reach, or that is too large to be made ·
 *   429 when there is no room for it
 * @throws SearchFailed · CallerGone
 */
export async function searchContent(deps: SearchDeps, parameters: ListParameters, caller: SearchCaller): Promise<Buffer> {
  const { prompt, page, size, sort, includeTags, ...filters } = parameters;
  const search = { query: buildQuery(prompt, filters), sort: buildSort(sort, prompt) };
  const from = page * size;
  const signal = AbortSignal.any([caller.gone, AbortSignal.timeout(LIST_TIMEOUT_MS)]);
  const ask = (request: estypes.SearchRequest) => requestSearch(deps, toRequest(deps, request), { ...caller, signal });
  const render = async (request: estypes.SearchRequest): Promise<Buffer> =>
    deps.pages.render(await ask(request), { page, size, includeTags }, signal);

  if (from + size <= RESULT_WINDOW) return render({ ...search, from, size });
  const { total } = readAnswer(await ask({ query: search.query, size: 0 }));
  if (from >= total) return Buffer.from(JSON.stringify(toPage([], { number: page, size, total })));
  if (total > RESULT_WINDOW) throw beyondWindow(page, size);
  return render({ ...search, from, size: total - from });
}

function toRequest({ alias }: SearchDeps, search: estypes.SearchRequest): estypes.SearchRequest {
  return {
    index: alias,
    ...search,
    track_total_hits: true,
    allow_partial_search_results: false,
    timeout: `${SEARCH_TIMEOUT_MS}ms`,
    // Scores differ a little between the copies of a shard: pages of one list come from one copy.
    preference: createHash('sha256').update(JSON.stringify(search.query)).digest('hex'),
  };
}

function beyondWindow(page: number, size: number): Problem {
  return badRequest('The page lies too deep.', [
    {
      parameter: 'page',
      detail: `page ${page} of size ${size} reaches past item ${RESULT_WINDOW}; a narrower prompt or the opposite sort order brings it nearer`,
    },
  ]);
}
