import { correctionHeader } from '../prompt/explanation.ts';
import { preferenceOf, searchWithPrompt } from '../search/search-with-prompt.ts';
import { LIST_TIMEOUT_MS, type SearchDeps } from '../search/search-content.ts';
import type { SearchedPrompt } from '../search/search-query.ts';
import { multiSearch, type IndexSource } from '../searched-index/multi-search.ts';
import { requestSearch, type SearchClient, type SearchSource } from '../searched-index/request-search.ts';
import { requireMapping } from '../searched-index/require-mapping.ts';
import { asSearch, IndexMoved } from '../searched-index/search-failed.ts';
import { parseSearchResponse } from '../searched-index/search-response.ts';
import { searchedTogether, startDeadline, withSearchedIndex, type Deadline } from '../searched-index/with-searched-index.ts';
import { intervalFor, type Interval } from './created-intervals.ts';
import { withCreatorNames } from './creator-names.ts';
import type { FacetParameters } from './facet-parameters.ts';
import { facetSearch, spanSearches } from './facet-search.ts';
import type { Facets } from './facets.ts';
import { readFacets, type CountedFacets } from './read-facets.ts';

/** The first mapping version with the fields that are counted. */
const MAPPING_VERSION = 4;

type FacetDeps = Omit<SearchDeps, 'pages'>;
type FacetSource = SearchSource & IndexSource;

/** `correction` is the value of the header Search-Correction. */
type FacetResponse = { body: Facets; correction: string | undefined };

/** @throws Problem 503 over an older index · errors of `requestSearch`, `readPrompt`, `withSearchedIndex` */
export async function countFacets(deps: FacetDeps, parameters: FacetParameters, client: SearchClient): Promise<FacetResponse> {
  const deadline = startDeadline(client, LIST_TIMEOUT_MS);
  return withSearchedIndex(deps, deadline, async (index) => {
    requireMapping(index, MAPPING_VERSION, 'Facets');
    const source = { ...deps, index };
    const count = (prompt: SearchedPrompt | undefined) => searchFacets(source, parameters, prompt, deadline);
    const { found, interpretation } = await searchWithPrompt(source, parameters, deadline, count);
    const body = await nameCreators(source, found, deadline);
    return { body, correction: interpretation && correctionHeader(interpretation) };
  });
}

async function searchFacets(
  source: FacetSource,
  parameters: FacetParameters,
  prompt: SearchedPrompt | undefined,
  deadline: Deadline,
): Promise<CountedFacets> {
  const { alias, index } = source;
  const interval = await findInterval(source, parameters, prompt, deadline);
  const search = facetSearch(parameters, prompt, { interval, shards: index.shards });
  const searched = { index: searchedTogether(alias, index), preference: preferenceOf(parameters) };
  const response = parseSearchResponse(await requestSearch(source, { ...searched, ...search }, deadline));
  if (response._shards.total !== index.shards) throw new IndexMoved();
  return readFacets(response, interval);
}

async function findInterval(
  source: FacetSource,
  parameters: FacetParameters,
  prompt: SearchedPrompt | undefined,
  deadline: Deadline,
): Promise<Interval> {
  const searches = multiSearch(source, spanSearches(parameters, prompt), deadline.signal);
  const responses = await asSearch(searches, deadline, 'the search for the span of times failed');
  const [first = 0, last = 0] = responses.map(({ hits: { hits: [hit] } }) => Number(hit?.sort?.[0] ?? 0)); // prettier-ignore
  return intervalFor({ first, last });
}

async function nameCreators(source: FacetSource, { totalElements, facets }: CountedFacets, deadline: Deadline): Promise<Facets> {
  const { values, ...creators } = facets.creators;
  const named = withCreatorNames(source, values, deadline.signal);
  const names = await asSearch(named, deadline, 'the search for the names of creators failed');
  return { totalElements, facets: { ...facets, creators: { values: names, ...creators } } };
}
