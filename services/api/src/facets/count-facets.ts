import type { estypes } from '@elastic/elasticsearch';
import { toTimestamp } from '../content/content-item.ts';
import { correctionHeader } from '../prompt/explanation.ts';
import type { SearchDeps } from '../search/search-content.ts';
import type { SearchedPrompt } from '../search/search-query.ts';
import { preferenceOf, searchWithPrompt } from '../search/search-with-prompt.ts';
import { multiSearch, type IndexSource } from '../searched-index/multi-search.ts';
import { requestSearch, type SearchClient, type SearchSource } from '../searched-index/request-search.ts';
import { requireMapping } from '../searched-index/require-mapping.ts';
import { asSearch, IndexMoved } from '../searched-index/search-failed.ts';
import { parseSearchResponse } from '../searched-index/search-response.ts';
import { searchedTogether, withSearchedIndex, type Deadline } from '../searched-index/with-searched-index.ts';
import { creatorNamesSearch, withCreatorNames } from './creator-names.ts';
import type { FacetParameters } from './facet-parameters.ts';
import { facetSearches, hoursSearch } from './facet-search.ts';
import type { Facets } from './facets.ts';
import { countByInterval, intervalOf, type Interval, type TimeCount } from './intervals.ts';
import { readCreated, readFacets } from './read-facets.ts';

/** The first mapping version with the fields that are counted. */
const MAPPING_VERSION = 4;

type FacetSource = SearchSource & IndexSource;

/** `correction` is the value of the header Search-Correction. */
type FacetResponse = { body: Facets; correction: string | undefined };

/** @throws Problem 503 over an older index · errors of `requestSearch`, `readPrompt`, `withSearchedIndex` */
export async function countFacets(
  deps: Omit<SearchDeps, 'pages'>,
  parameters: FacetParameters,
  client: SearchClient,
): Promise<FacetResponse> {
  return withSearchedIndex(deps, client, async (index, deadline) => {
    requireMapping(index, MAPPING_VERSION, 'Facets');
    const source = { ...deps, index };
    const search = (prompt: SearchedPrompt | undefined) => searchFacets(source, parameters, prompt, deadline);
    const { found, interpretation } = await searchWithPrompt(source, parameters, deadline, search);
    return { body: found, correction: interpretation && correctionHeader(interpretation) };
  });
}

/** Takes the searches that count, and one request for the names of creators and, if there are few days, the hours. */
async function searchFacets(
  source: FacetSource,
  parameters: FacetParameters,
  prompt: SearchedPrompt | undefined,
  deadline: Deadline,
): Promise<Facets> {
  const counted = await count(source, parameters, prompt, deadline);
  const { totalElements, creators, created: days, ...facets } = counted;
  const interval = intervalOf(days);
  const searches = [creatorNamesSearch(creators.values.map(({ creatorId }) => creatorId))];
  if (interval === 'hour') searches.push(hoursSearch(parameters, prompt));
  const details = multiSearch(source, searches, deadline.signal);
  const [names, hours] = await asSearch(details, deadline, 'the search for names and hours failed');
  const created = toCreated(hours ? readCreated(hours.aggregations?.['created']) : days, interval);
  return { totalElements, facets: { ...facets, creators: { ...creators, values: withCreatorNames(creators.values, names) }, created } };
}

async function count(source: FacetSource, parameters: FacetParameters, prompt: SearchedPrompt | undefined, deadline: Deadline) {
  const { alias, index } = source;
  const searched = { index: searchedTogether(alias, index), preference: preferenceOf(parameters) };
  const send = (search: estypes.SearchRequest) => requestSearch(source, { ...searched, ...search }, deadline);
  const responses = (await Promise.all(facetSearches(parameters, prompt, index.shards).map(send))).map(parseSearchResponse);
  if (responses.some(({ _shards: shards }) => shards.total !== index.shards)) throw new IndexMoved();
  return readFacets(responses);
}

function toCreated(counts: TimeCount[], interval: Interval): Facets['facets']['created'] {
  const toText = (time: number): string => toTimestamp(new Date(time));
  const values = countByInterval(counts, interval);
  return { interval, values: values.map(({ from, to, count }) => ({ from: toText(from), to: toText(to), count })) };
}
