import type { estypes } from '@elastic/elasticsearch';
import { clausesByFacet, filterClauses, type FilteredFacet } from '../search/filters.ts';
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
 * Counts all facets with one search. If facets ignore given filters, the search has all items that some facet counts;
 * then the aggregation `matches` counts the matches of the list, and an aggregation for each of those facets the items
 * that match the filters of all other facets.
 */
export function facetSearch(parameters: FacetParameters, prompt: SearchedPrompt | undefined, shards: number): estypes.SearchRequest {
  const { common, ...chosen } = Object.fromEntries([...clausesByFacet(parameters)].map(([facet = 'common', clauses]) => [facet, clauses]));
  const query = buildQuery(prompt, common);
  const facets = facetAggregations(parameters.tagPrefix, shards);
  if (Object.keys(chosen).length === 0) return { query, size: 0, track_total_hits: true, aggregations: facets };
  const filtered = (ignored: string | undefined, isCounted: (facet: string) => boolean): Aggregation => {
    const filter = Object.entries(chosen).flatMap(([facet, clauses]) => (facet === ignored ? [] : clauses));
    const aggregations = Object.fromEntries(Object.entries(facets).filter(([facet]) => isCounted(facet)));
    return { filter: { bool: { filter } }, aggregations };
  };
  const matches = filtered(undefined, (facet) => !(facet in chosen));
  const others = Object.keys(chosen).map((facet) => [facet, filtered(facet, (counted) => counted === facet)]);
  return { query, size: 0, track_total_hits: false, aggregations: { matches, ...Object.fromEntries(others) } };
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
