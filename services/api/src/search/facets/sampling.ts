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

/** @returns the aggregates of a response to `ofSample`, and the probability by which they were counted; undefined if all were */
export function readSample(aggregates: Aggregates = {}): { found: Aggregates; probability: number | undefined } {
  const { [SAMPLE]: sample } = aggregates as Record<string, Aggregates & { probability?: number }>;
  return sample ? { found: sample, probability: sample.probability } : { found: aggregates, probability: undefined };
}
