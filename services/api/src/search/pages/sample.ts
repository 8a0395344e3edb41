import type { estypes } from '@elastic/elasticsearch';
import type { Query, Session } from '../session.ts';
import { positionOf, type Key, type Position } from './sections.ts';

/**
 * The items to sample: the `count` matches of a query, in the order of a sort. The sample is to tell what is near the
 * ranks `from` and `to`.
 */
type Sampled = {
  query: Query;
  sort: estypes.SortCombinations[];
  count: number;
  from: number;
  to: number;
  seed: number;
};

/** `low` belongs to an item probably before `from` or on it, `high` to one after `to`; undefined if the sample has none. */
export type Pair<T> = { low: T | undefined; high: T | undefined };

type Group<T> = { value: T; items: number };

/** Elasticsearch accepts no probability between .5 and 1. */
const MAX_PROBABILITY = 0.5;
/** The unit is a standard deviation: the pair encloses the ranks in 19 of 20 samples. */
const MARGIN = 2;
/** A sample of the first items of a long list would otherwise contain nearly all items. */
const MAX_SAMPLE = 10_000;
const MAX_VALUES = 1_000;
/** Elasticsearch's limit on the size of `top_hits` (index.max_inner_result_window). */
const MAX_HITS = 100;

/** @throws errors of `Session` */
export async function sampleValues(session: Session, sampled: Sampled, { field, descending }: Key): Promise<Pair<Position[number]>> {
  const probability = probabilityFor(sampled, MAX_VALUES);
  const terms = { field, size: MAX_VALUES, order: { _key: descending ? 'desc' : 'asc' } } as const;
  const sample = await searchSample<{ buckets: { key: string | number; doc_count: number }[] }>(session, sampled, probability, { terms });
  const { buckets } = sample.result;
  const groups: Group<Position[number]>[] = buckets.map(({ key, doc_count }) => ({
    value: key,
    items: Math.round(doc_count * sample.scale),
  }));
  // Items without a value are in no bucket, and last in the order.
  if (buckets.length < MAX_VALUES) groups.push({ value: null, items: sample.items - sum(groups) });
  return pick(groups, sampled, sample.items);
}

/** @throws errors of `Session` */
export async function samplePositions(session: Session, sampled: Sampled): Promise<Pair<Position>> {
  const top_hits = { sort: sampled.sort, size: MAX_HITS, _source: false };
  const probability = probabilityFor(sampled, MAX_HITS);
  const sample = await searchSample<{ hits: estypes.SearchHitsMetadata }>(session, sampled, probability, { top_hits });
  const groups = sample.result.hits.hits.map((hit) => ({ value: positionOf(hit.sort ?? []), items: 1 }));
  return pick(groups, sampled, sample.items);
}

/** The first `maxItems` items of the sample then extend past the rank `to`. */
function probabilityFor({ to, count }: Sampled, maxItems: number): number {
  return Math.min((0.8 * maxItems) / to, MAX_SAMPLE / count, MAX_PROBABILITY);
}

type Aggregation = estypes.AggregationsAggregationContainer;

/** `items`: the number of items in the sample. */
type Sample<T> = { result: T; items: number; scale: number };

async function searchSample<T>(session: Session, { query, seed }: Sampled, probability: number, of: Aggregation): Promise<Sample<T>> {
  const sample = { random_sampler: { probability, seed }, aggs: { of } };
  const response = await session.search({ query, size: 0, track_total_hits: false, aggs: { sample } });
  const { of: result, doc_count: items, ...sampled } = response.aggregations?.['sample'] as unknown as Response<T>;
  // Elasticsearch divides the counts inside of the sample by the probability, and rounds them. OpenSearch names none.
  return { result, items, scale: sampled.probability ?? 1 };
}

type Response<T> = { of: T; doc_count: number; probability?: number };

/** @param groups the first groups of the sample, in order @param items the number of items of the complete sample */
function pick<T>(groups: Group<T>[], { from, to, count }: Sampled, items: number): Pair<T> {
  const [first, last] = [(from / count) * items, (to / count) * items];
  // The number of sampled items before a rank is distributed hypergeometrically.
  const margin = (rank: number): number => MARGIN * Math.sqrt(Math.max(rank * (1 - rank / items), 0));
  return { low: valueAt(groups, first - margin(first) - 1), high: valueAt(groups, last + margin(last)) };
}

function valueAt<T>(groups: Group<T>[], rank: number): T | undefined {
  let end = 0;
  return rank < 0 ? undefined : groups.find(({ items }) => (end += items) > rank)?.value;
}

function sum(groups: Group<unknown>[]): number {
  return groups.reduce((total, { items }) => total + items, 0);
}
