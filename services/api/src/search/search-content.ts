import type { ListParameters } from './list-parameters.ts';
import type { PageRenderer } from './page-renderer.ts';
import { readPage } from './read-page.ts';
import type { SearchClient, SearchSource } from './request-search.ts';
import { buildQuery, buildSort } from './search-query.ts';
import type { SearchedIndexLookup } from './searched-index.ts';
import { withSearchedIndex } from './with-searched-index.ts';

export type SearchDeps = SearchSource & { alias: string; pages: PageRenderer; searchedIndex: SearchedIndexLookup };

/** For all searches of one list request. */
const LIST_TIMEOUT_MS = 3_000;

/**
 * @returns the page as JSON in UTF-8
 * @throws errors of `readPage`, `withSearchedIndex`
 */
export async function searchContent(deps: SearchDeps, parameters: ListParameters, client: SearchClient): Promise<Buffer> {
  const { prompt, page, size, sort, include, ...filters } = parameters;
  const deadline = { ...client, signal: AbortSignal.any([client.disconnected, AbortSignal.timeout(LIST_TIMEOUT_MS)]) };
  return withSearchedIndex(deps, deadline, async (index) => {
    const search = { query: buildQuery(prompt, filters, index), sort: buildSort(sort, prompt), from: page * size, size };
    const { response, ...order } = await readPage({ ...deps, index }, search, deadline);
    return deps.pages.render(response, { page, size, includeTags: include === 'tags', shards: index.shards, ...order }, deadline.signal);
  });
}
