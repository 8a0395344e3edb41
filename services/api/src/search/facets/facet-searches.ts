import { textRulesOf, type TextRules } from '@ugc/text/rules/text-rules';
import { NAME_KEY_MAX_LENGTH, tagOfKey } from '@ugc/text/rules/keys';
import type { estypes } from '@elastic/elasticsearch';
import { hasFields } from '../answerable.ts';
import { publicFields } from '../downloads.ts';
import { filterClauses, givenFilters, type FilteredFacet, type Ignored } from '../filters.ts';
import type { Interpretation } from '../prompt/interpret-prompt.ts';
import { buildQuery } from '../query.ts';
import type { SearchBody, Session } from '../session.ts';
import { VALUES_MAX, type FacetParameters, type Facets } from './facets.ts';
import { totalOf } from '../response.ts';
import { beginningPattern } from '../text-fields.ts';
import type { Declared } from '../where.ts';
import { MAX_CANDIDATES } from './entry-counts.ts';
import { nameOf, type FieldCount } from './field-counts.ts';
import type { TimeCount } from './intervals.ts';
import { ofSample, readSample } from './sampling.ts';

type Aggregation = estypes.AggregationsAggregationContainer;

/** Each of several shards reports so many values, so that the sums of the largest are seldom uncertain. */
const SHARD_VALUES = 2_000;
/** More than there are stars, or powers of ten. */
const ALL_VALUES = 30;

/**
 * The first search counts the matches of the list, and all facets that ignore no given filter. Each other facet takes a
 * search of its own, which finds its items by the remaining filters. So do the tags, which take as long as all others. A
 * facet whose field the index lacks is left out.
 * @param counts the declared fields to count
 * @throws Problem 503 if the index lacks a field of a filter
 */
export function facetSearches(
  parameters: FacetParameters & Declared,
  prompt: Interpretation | undefined,
  { index, counts }: { index: Session['index']; counts: FieldCount[] },
): estypes.SearchRequest[] {
  const aggregations = facetAggregations(parameters.tagPrefix, index);
  const facets = (Object.keys(aggregations) as FilteredFacet[]).filter((facet) => hasFields(index, [fieldOf(aggregations[facet])]));
  const given = givenFilters(parameters);
  const ignoresFilter = (counted: FilteredFacet): boolean => given.some(({ facet }) => facet === counted);
  const search = (counted: [string, Aggregation][], ignored?: Ignored): estypes.SearchRequest => ({
    query: buildQuery(prompt, filterClauses(parameters, index, ignored)),
    size: 0,
    track_total_hits: ignored === undefined,
    aggregations: Object.fromEntries(counted),
  });
  const own = facets.filter((facet) => facet === 'tags' || ignoresFilter(facet));
  const ofFacet = (facet: FilteredFacet): [string, Aggregation] => [facet, aggregations[facet]];
  const together = counts.filter(({ isApart }) => !isApart).map((counted) => ofField(counted, index));
  const apart = counts.filter(({ isApart }) => isApart);
  return [
    search([...facets.filter((facet) => !own.includes(facet)).map(ofFacet), ...together]),
    ...own.map((facet) => search([ofFacet(facet)], { facet })),
    ...apart.map((counted) => search([ofField(counted, index)], { path: counted.path })),
  ];
}

function ofField(counted: FieldCount, index: Session['index']): [string, Aggregation] {
  const candidates = counted.count.queryOf && { size: MAX_CANDIDATES };
  return [nameOf(counted), { terms: { ...counted.count.terms, ...largestOf(index), ...candidates } }];
}

function largestOf({ shards }: Session['index']): estypes.AggregationsTermsAggregation {
  return { size: VALUES_MAX, ...(shards > 1 && { shard_size: SHARD_VALUES }) };
}

function facetAggregations(tagPrefix = '', index: Session['index']): Record<FilteredFacet, Aggregation> {
  const include = tagKeyPattern(tagPrefix, textRulesOf(index.mappingVersion));
  const largest = largestOf(index);
  return {
    tags: { terms: { field: 'tagKeys', ...largest, ...(include !== undefined && { include }) } },
    creators: { terms: { field: 'facets.creatorId', ...largest } },
    ratings: { terms: { field: 'facets.stars', size: ALL_VALUES } },
    downloads: { terms: { field: publicFields(index).facet, size: ALL_VALUES } },
    created: createdBy('day'),
  };
}

export function hoursSearch(
  parameters: FacetParameters & Declared,
  prompt: Interpretation | undefined,
  { index, probability }: { index: Session['index']; probability: number | undefined },
): SearchBody {
  const query = buildQuery(prompt, filterClauses(parameters, index, { facet: 'created' }));
  return { query, size: 0, track_total_hits: false, aggregations: ofSample({ created: createdBy('hour') }, probability) };
}

function fieldOf({ terms, date_histogram }: Aggregation): string {
  return terms?.field ?? date_histogram?.field ?? '';
}

function createdBy(interval: 'hour' | 'day'): Aggregation {
  return { date_histogram: { field: 'createdAt', calendar_interval: interval, min_doc_count: 1 } };
}

/**
 * @returns a regular expression of Lucene, of less than 1,000 characters, that matches the keys by `tagKey` of the tags
 *   that begin with the text; undefined if every tag does
 */
export function tagKeyPattern(prefix: string, { fold }: Pick<TextRules, 'fold'>): string | undefined {
  // A blank at the end tells "pixel art" from "pixels".
  const folded = fold(prefix).trimStart().replace(/\s+/g, ' ');
  if (folded === '') return undefined;
  // A longer text begins no key. Lucene parses regular expressions recursively, so their length must be bounded.
  return beginningPattern(folded.slice(0, NAME_KEY_MAX_LENGTH + 1));
}

type Terms = estypes.AggregationsTermsAggregateBase<{ key: string; doc_count: number }>;
type Histogram = { buckets: { key: number; doc_count: number }[] };
type Aggregates = Record<string, estypes.AggregationsAggregate>;

/** Names the facets and fields of which only a sample is counted, with the probability that a match is in it. */
export type Sampled = Record<string, number>;

/**
 * Reads the responses to `facetSearches`. The creators have no names yet, and `created` is counted by day. A facet that was
 * left out is undefined.
 */
export function readFacets(responses: estypes.SearchResponse[]) {
  const samples = responses.map(({ aggregations }) => readSample(aggregations));
  const found: Aggregates = Object.assign({}, ...samples.map((sample) => sample.found));
  const sampled: Sampled = Object.assign({}, ...samples.map(sampledIn));
  const isExact = (facet: string): boolean => sampled[facet] === undefined;
  const [matches] = responses;
  return {
    totalElements: matches ? totalOf(matches.hits) : NaN,
    tags: found['tags'] && readLargest(found['tags'] as Terms, isExact('tags'), (key, count) => ({ tag: tagOfKey(key), count })),
    creators:
      found['creators'] &&
      readLargest(found['creators'] as Terms, isExact('creators'), (key, count) => ({ creatorId: Number(key), count })),
    ratings: found['ratings'] && { values: readRatings(found['ratings'] as Terms) },
    downloads: found['downloads'] && { values: readDownloads(found['downloads'] as Terms) },
    created: found['created'] && readCreated(found['created']),
    sampled,
    found,
  };
}

function sampledIn({ probability, estimated }: ReturnType<typeof readSample>): Sampled {
  return probability === undefined ? {} : Object.fromEntries(estimated.map((name) => [name, probability]));
}

function readLargest<T>(terms: Terms, isExact: boolean, toValue: (key: string, count: number) => T) {
  const { sum_other_doc_count: other = NaN, doc_count_error_upper_bound: error } = terms;
  return { values: bucketsOf(terms).map(({ key, doc_count }) => toValue(key, doc_count)), other, exact: isExact && error === 0 };
}

function readRatings(terms: Terms): Facets['facets']['ratings']['values'] {
  const values = bucketsOf(terms).map(({ key, doc_count: count }) => ({ stars: Number(key), count }));
  return values.toSorted((a, b) => b.stars - a.stars);
}

function readDownloads(terms: Terms): Facets['facets']['downloads']['values'] {
  const values = bucketsOf(terms).map(({ key, doc_count: count }) => ({ min: Number(key), max: lastOfPower(Number(key)), count }));
  return values.toSorted((a, b) => a.min - b.min);
}

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
