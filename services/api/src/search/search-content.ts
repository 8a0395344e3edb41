import { searchedText } from '../highlight/searched-text.ts';
import { correctionHeader, explain } from '../prompt/explanation.ts';
import type { KnownWords } from '../prompt/known-words.ts';
import type { SearchClient, SearchSource } from '../searched-index/request-search.ts';
import { requireMapping } from '../searched-index/require-mapping.ts';
import type { SearchedIndexLookup } from '../searched-index/searched-index.ts';
import { withSearchedIndex } from '../searched-index/with-searched-index.ts';
import { readPage, type PageSearch } from '../paging/read-page.ts';
import { filterClauses } from './filters.ts';
import type { ListParameters } from './list-parameters.ts';
import type { PageRenderer } from './page-renderer.ts';
import { buildQuery, buildSort, type SearchedPrompt } from './search-query.ts';
import { preferenceOf, searchWithPrompt } from './search-with-prompt.ts';

export type SearchDeps = SearchSource & {
  alias: string;
  pages: PageRenderer;
  searchedIndex: SearchedIndexLookup;
  knownWords: KnownWords;
};

/** `body` is the page as JSON in UTF-8, `correction` the value of the header Search-Correction. */
export type ListResponse = { body: Buffer; correction: string | undefined };

/** @throws errors of `readPage`, `readPrompt`, `withSearchedIndex` */
export async function searchContent(deps: SearchDeps, parameters: ListParameters, client: SearchClient): Promise<ListResponse> {
  return withSearchedIndex(deps, client, async (index, deadline) => {
    const isHighlighted = parameters.highlight === 'true';
    if (isHighlighted) requireMapping(index, 3, 'Highlights');
    const source = { ...deps, index };
    const search = (prompt: SearchedPrompt | undefined) => readPage(source, pageSearch(parameters, prompt), deadline);
    const { found, interpretation } = await searchWithPrompt(source, parameters, deadline, search);
    const { response, ...order } = found;
    const { page, size, include } = parameters;
    const shown = parameters.explain === 'true' && interpretation ? explain(interpretation) : undefined;
    const highlighted = isHighlighted ? searchedText(interpretation) : undefined;
    const request = { page, size, includeTags: include === 'tags', highlighted, interpretation: shown, shards: index.shards, ...order };
    const body = await deps.pages.render(response, request, deadline.signal);
    return { body, correction: interpretation && correctionHeader(interpretation) };
  });
}

function pageSearch(parameters: ListParameters, searched: SearchedPrompt | undefined): PageSearch {
  const { page, size, sort, prompt } = parameters;
  const query = buildQuery(searched, filterClauses(parameters));
  // Many users read the same list without a prompt, and of a large index its sort takes most of the time. Prompts differ.
  const cached = searched === undefined;
  return { query, sort: buildSort(sort, prompt), from: page * size, size, preference: preferenceOf(parameters), cached };
}
