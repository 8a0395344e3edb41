import { createHash } from 'node:crypto';
import { errors, type estypes } from '@elastic/elasticsearch';
import { RESULT_WINDOW, type ContentDocument } from '@ugc/shared/content-index';
import type { Elasticsearch } from '@ugc/shared/elasticsearch';
import type { Limits } from '../env.ts';
import { badRequest, type Problem } from '../problem.ts';
import type { ListParameters } from './list-parameters.ts';
import { buildQuery, buildSort } from './search-query.ts';

/** Elasticsearch did not answer, or not for the whole index. Never answered by a shorter page. */
export class SearchFailed extends Error {
  override readonly name = 'SearchFailed';
}

export type Found = { documents: ContentDocument[]; total: number };
export type SearchDeps = { elasticsearch: Elasticsearch; alias: string; limits: Limits };

const SEARCH_TIMEOUT_MS = 1_500;
/** For all that one list asks: a page past the window takes a second search. */
const LIST_TIMEOUT_MS = 2_000;

/**
 * One page of what a prompt matches, and the exact number of all matches; one request to Elasticsearch.
 * @throws Problem 400 for a page inside the result set that from/size paging does not reach, or that is too large to be made
 * @throws SearchFailed
 */
export async function searchContent(deps: SearchDeps, { prompt, page, size, sort, ...filters }: ListParameters): Promise<Found> {
  const search = { query: buildQuery(prompt, filters), sort: buildSort(sort, prompt) };
  const from = page * size;
  const deadline = AbortSignal.timeout(LIST_TIMEOUT_MS);
  if (from + size <= RESULT_WINDOW) return run(deps, { ...search, from, size }, deadline);
  const { total } = await run(deps, { query: search.query, size: 0 }, deadline);
  if (from >= total) return { documents: [], total };
  if (total > RESULT_WINDOW) throw beyondWindow(page, size);
  return run(deps, { ...search, from, size: total - from }, deadline);
}

async function run(deps: SearchDeps, search: estypes.SearchRequest, deadline: AbortSignal): Promise<Found> {
  const request = {
    index: deps.alias,
    ...search,
    track_total_hits: true,
    allow_partial_search_results: false,
    timeout: `${SEARCH_TIMEOUT_MS}ms`,
    // Scores differ a little between the copies of a shard: pages of one list come from one copy.
    preference: createHash('sha256').update(JSON.stringify(search.query)).digest('hex'),
  };
  const answer = await ask(deps, request, deadline);
  if (answer.timed_out) throw new SearchFailed('the search timed out');
  if (answer._shards.failed > 0) throw new SearchFailed(`${answer._shards.failed} shards failed`);
  const total = answer.hits.total as estypes.SearchTotalHits;
  return { documents: answer.hits.hits.map((hit) => hit._source as ContentDocument), total: total.value };
}

async function ask({ elasticsearch, limits }: SearchDeps, request: estypes.SearchRequest, signal: AbortSignal) {
  try {
    return await elasticsearch.search<ContentDocument>(request, { signal, maxResponseSize: limits.PAGE_MAX_BYTES });
  } catch (cause) {
    // The client gives up by itself only when the answer is too large.
    if (cause instanceof errors.RequestAbortedError && !signal.aborted) throw tooLarge(request.size, limits.PAGE_MAX_BYTES);
    throw new SearchFailed('Elasticsearch does not answer', { cause });
  }
}

// Measured: a page of 210 MB kept the process from everything else for four seconds.
function tooLarge(size: number | undefined, limitBytes: number): Problem {
  const detail = `${size} items of this page are larger than ${limitBytes} bytes together; ask for fewer at a time`;
  return badRequest('The page is too large.', [{ parameter: 'size', detail }]);
}

function beyondWindow(page: number, size: number): Problem {
  return badRequest('The page lies too deep.', [
    {
      parameter: 'page',
      detail: `page ${page} of size ${size} reaches past item ${RESULT_WINDOW}; a narrower prompt or the opposite sort order brings it nearer`,
    },
  ]);
}
