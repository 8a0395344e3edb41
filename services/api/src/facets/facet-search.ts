import type { estypes } from '@elastic/elasticsearch';
import { filterClauses, type FilteredFacet } from '../search/filters.ts';
import { buildQuery, type SearchedPrompt } from '../search/search-query.ts';
import type { FacetParameters } from './facet-parameters.ts';
import { tagKeyPattern } from './tag-prefix.ts';

type Aggregation = estypes.AggregationsAggregationContainer;

const VALUES_MAX = 20;
/** Each of several shards reports so many values, so that the sums of the largest are seldom uncertain. */
const SHARD_VALUES = 2_000;
/** More than there are stars, or powers of ten. */
const ALL_VALUES = 30;

/**
 * The first search counts the matches of the list, and all facets that ignore no given filter. Each other facet takes a
 * search of its own, which finds its items by the remaining filters. So do the tags, which take as long as all others.
 */
export function facetSearches(parameters: FacetParameters, prompt: SearchedPrompt | undefined, shards: number): estypes.SearchRequest[] {
  const aggregations = facetAggregations(parameters.tagPrefix, shards);
  const facets = Object.keys(aggregations) as FilteredFacet[];
  const ignoresFilter = (facet: FilteredFacet): boolean => filterClauses(parameters, facet).length < filterClauses(parameters).length;
  const search = (counted: FilteredFacet[], ignored?: FilteredFacet): estypes.SearchRequest => ({
    query: buildQuery(prompt, filterClauses(parameters, ignored)),
    size: 0,
    track_total_hits: ignored === undefined,
    aggregations: Object.fromEntries(counted.map((facet) => [facet, aggregations[facet]])),
  });
  const own = facets.filter((facet) => facet === 'tags' || ignoresFilter(facet));
  return [search(facets.filter((facet) => !own.includes(facet))), ...own.map((facet) => search([facet], facet))];
}

function facetAggregations(tagPrefix = '', shards: number): Record<FilteredFacet, Aggregation> {
  const include = tagKeyPattern(tagPrefix);
  const largest = { size: VALUES_MAX, ...(shards > 1 && { shard_size: SHARD_VALUES }) };
  return {
    tags: { terms: { field: 'tagKeys', ...largest, ...(include !== undefined && { include }) } },
    creators: { terms: { field: 'facets.creatorId', ...largest } },
    ratings: { terms: { field: 'facets.stars', size: ALL_VALUES } },
    downloads: { terms: { field: 'facets.downloads', size: ALL_VALUES } },
    created: createdBy('day'),
  };
}

/** Counts the facet `created` by hour. */
export function hoursSearch(parameters: FacetParameters, prompt: SearchedPrompt | undefined): estypes.SearchSearchRequestBody {
  const query = buildQuery(prompt, filterClauses(parameters, 'created'));
  return { query, size: 0, aggregations: { created: createdBy('hour') } };
}

function createdBy(interval: 'hour' | 'day'): Aggregation {
  return { date_histogram: { field: 'createdAt', calendar_interval: interval, min_doc_count: 1 } };
}
