import type { estypes } from '@elastic/elasticsearch';

type Aggregations = Record<string, estypes.AggregationsAggregationContainer>;
type Aggregates = Record<string, estypes.AggregationsAggregate>;

/** Counting so many takes about 30 ms. Of 100,000, a value that one in a hundred has is counted with an error of 3 %. */
export const COUNTED_MAX = 200_000;
/** Elasticsearch samples by the position in a segment: of one copy of a shard, it counts the same items until the index changes. */
const SEED = 1;
const SAMPLE = 'sample';

/**
 * A power of two, so that it changes rarely while the collection grows.
 * @returns the part of the matches that is counted; undefined if all of them are
 */
export function probabilityFor(matches: number, countedMax: number): number | undefined {
  return matches <= countedMax ? undefined : 2 ** -Math.ceil(Math.log2(matches / countedMax));
}

/** @param probability undefined counts all matches. OpenSearch, which has no sampler, does so in any case. */
export function ofSample(aggregations: Aggregations, probability: number | undefined): Aggregations {
  if (probability === undefined) return aggregations;
  return { [SAMPLE]: { random_sampler: { probability, seed: SEED }, meta: { orAll: true }, aggregations } };
}

type Read = { found: Aggregates; probability: number | undefined; estimated: string[] };

/**
 * @param aggregates of a response to `ofSample`, and those that were counted exactly afterwards
 * @returns all of them; the probability by which those named in `estimated` were counted, undefined if there are none
 */
export function readSample(aggregates: Aggregates = {}): Read {
  const { [SAMPLE]: sample, ...exact } = aggregates as Record<string, Aggregates & { probability?: number }>;
  if (sample?.probability === undefined) return { found: { ...sample, ...exact }, probability: undefined, estimated: [] };
  const isAggregate = (name: string): boolean => typeof sample[name] === 'object' && name !== 'meta';
  const estimated = Object.keys(sample).filter((name) => isAggregate(name) && !(name in exact));
  return { found: { ...sample, ...exact }, probability: sample.probability, estimated };
}

/** A field is rare if the matches have at most this part of `countedMax` values of it. Counting all takes as much less time. */
const RARE_SHARE = 0.25;

/**
 * What a sample tells badly: the values of a field that few matches have. A rare field would even seem to have none.
 * @param response to the search with `ofSample`
 * @returns the search that counts them exactly; undefined if there are none
 */
export function rareSearch(
  search: estypes.SearchRequest,
  response: estypes.SearchResponse,
  countedMax: number,
): estypes.SearchRequest | undefined {
  const { found, estimated } = readSample(response.aggregations);
  const rare = estimated.flatMap((name) => {
    const aggregation = search.aggregations?.[name];
    const { field, include } = aggregation?.terms ?? {};
    return field !== undefined && valuesIn(found[name]) <= RARE_SHARE * countedMax ? [{ name, field, include, aggregation }] : [];
  });
  if (rare.length === 0) return undefined;
  // Where few values are counted, such as tags with a beginning, nearly all matches may have others.
  const should = rare.map(({ field, include }) => (typeof include === 'string' ? { regexp: { [field]: include } } : { exists: { field } }));
  return {
    ...search,
    query: { bool: { filter: [search.query ?? { match_all: {} }, { bool: { should, minimum_should_match: 1 } }] } },
    track_total_hits: false,
    aggregations: Object.fromEntries(rare.map(({ name, aggregation }) => [name, aggregation ?? {}])),
  };
}

type Terms = { buckets?: { doc_count: number }[]; sum_other_doc_count?: number };

/** How many values the matches have; a match may have several. */
function valuesIn(aggregate: estypes.AggregationsAggregate | undefined): number {
  const { buckets = [], sum_other_doc_count: other = 0 } = aggregate as Terms;
  return buckets.reduce((sum, { doc_count }) => sum + doc_count, other);
}
