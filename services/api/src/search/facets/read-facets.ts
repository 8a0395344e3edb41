import type { estypes } from '@elastic/elasticsearch';
import { tagOfKey } from '@ugc/shared/search-text/tag-key';
import { totalOf } from '../response.ts';
import type { Facets } from './facets.ts';
import type { TimeCount } from './intervals.ts';

type Terms = estypes.AggregationsTermsAggregateBase<{ key: string; doc_count: number }>;
type Histogram = { buckets: { key: number; doc_count: number }[] };
type Aggregates = Record<string, estypes.AggregationsAggregate>;

/** Reads the responses to `facetSearches`. The creators have no names yet, and `created` is counted by day. */
export function readFacets(responses: estypes.SearchResponse[]) {
  const found: Aggregates = Object.assign({}, ...responses.map(({ aggregations }) => aggregations));
  const [matches] = responses;
  return {
    totalElements: matches ? totalOf(matches.hits) : NaN,
    tags: readLargest(found['tags'] as Terms, (key, count) => ({ tag: tagOfKey(key), count })),
    creators: readLargest(found['creators'] as Terms, (key, count) => ({ creatorId: Number(key), count })),
    ratings: { values: readRatings(found['ratings'] as Terms) },
    downloads: { values: readDownloads(found['downloads'] as Terms) },
    created: readCreated(found['created']),
  };
}

function readLargest<T>(terms: Terms, toValue: (key: string, count: number) => T) {
  const { sum_other_doc_count: other = NaN, doc_count_error_upper_bound: error } = terms;
  return { values: bucketsOf(terms).map(({ key, doc_count }) => toValue(key, doc_count)), other, exact: error === 0 };
}

function readRatings(terms: Terms): Facets['facets']['ratings']['values'] {
  const values = bucketsOf(terms).map(({ key, doc_count: count }) => ({ stars: Number(key), count }));
  return values.toSorted((a, b) => b.stars - a.stars);
}

function readDownloads(terms: Terms): Facets['facets']['downloads']['values'] {
  const values = bucketsOf(terms).map(({ key, doc_count: count }) => ({ min: Number(key), max: lastOfPower(Number(key)), count }));
  return values.toSorted((a, b) => a.min - b.min);
}

/** The largest number with as many digits. */
function lastOfPower(power: number): number {
  return power === 0 ? 0 : Math.min(10 * power - 1, Number.MAX_SAFE_INTEGER);
}

/** @returns the hours or days in the order of time */
export function readCreated(created: estypes.AggregationsAggregate | undefined): TimeCount[] {
  return ((created as Histogram | undefined)?.buckets ?? []).map(({ key, doc_count }) => ({ time: key, count: doc_count }));
}

function bucketsOf({ buckets }: Terms): { key: string; doc_count: number }[] {
  return Array.isArray(buckets) ? buckets : Object.values(buckets);
}
