import { filterClauses } from '../filters.ts';
import type { Interpretation } from '../prompt/interpret-prompt.ts';
import { buildQuery } from '../query.ts';
import type { Found, SearchBody, Session } from '../session.ts';
import type { Declared } from '../where.ts';
import { VALUES_MAX, type FacetParameters, type FieldFacet } from './facets.ts';
import { nameOf, readFieldCount, type FieldCount, type FieldFacets } from './field-counts.ts';
import { ofSample, readSample } from './sampling.ts';

/** Most fields have fewer values, and each takes a few milliseconds for a million items. */
const ROUND_CANDIDATES = 100;
/** All candidates of a round have at most as many: conditions of three parts are up to 128 keys for each. */
const ROUND_KEYS = 3_200;
const MAX_ROUNDS = 3;
export const MAX_CANDIDATES = MAX_ROUNDS * ROUND_CANDIDATES;

type Counted = FieldFacet['values'];

/**
 * The values of a part of a group beside several values, or a range, of another part. One aggregation tells how many
 * matches have a value in any entry, which is at least as many as have it in one that is asked for.
 * `candidates`: with these numbers, the largest first. `counted`: of the first `looked` of them, those that matches have.
 */
type Entries = { field: FieldCount; candidates: Counted; counted: Counted; looked: number; rounds: number } & Omit<FieldFacet, 'values'>;

/** `sampled`: which fields are counted in part, by `nameOf`. */
type Counting = {
  parameters: FacetParameters & Declared;
  prompt: Interpretation | undefined;
  counts: FieldCount[];
  sampled: Record<string, number>;
};

/**
 * Counts the values of the fields that have a `queryOf`, the most frequent candidates first, until no other one can be
 * among those that are shown.
 * @param found the aggregates by `nameOf`
 */
export async function countEntries(
  session: Session,
  { parameters, prompt, counts, sampled }: Counting,
  found: Record<string, unknown>,
): Promise<FieldFacets> {
  let all = counts.filter(({ count }) => count.queryOf).map((field): Entries => candidatesOf(field, readFieldCount(field, found, sampled)));
  for (let due = all.filter(isUncertain); due.length > 0; due = all.filter(isUncertain)) {
    const searches = due.map((each) => ({
      ...searchOf(each, sampled[nameOf(each.field)]),
      query: buildQuery(prompt, filterClauses(parameters, session.index, { path: each.field.path })),
    }));
    const responses = await session.searchMany(searches);
    all = all.map((each) => (due.includes(each) ? withCounts(each, responses[due.indexOf(each)]) : each));
  }
  return Object.fromEntries(all.map((each) => [each.field.path, shownOf(each)]));
}

function candidatesOf(field: FieldCount, { values, other, exact }: FieldFacet): Entries {
  return { field, candidates: values, counted: [], looked: 0, rounds: 0, other, exact };
}

/** Whether a candidate that was not counted may be more frequent than a value that is shown. */
function isUncertain({ candidates, counted, looked, rounds }: Entries): boolean {
  const next = candidates[looked];
  const least = counted[VALUES_MAX - 1]?.count ?? 0;
  return next !== undefined && rounds < MAX_ROUNDS && next.count > least;
}

function roundOf({ field, candidates, looked }: Entries): Counted {
  const size = Math.max(VALUES_MAX, Math.min(ROUND_CANDIDATES, Math.floor(ROUND_KEYS / field.count.keys)));
  return candidates.slice(looked, looked + size);
}

function searchOf(entries: Entries, probability: number | undefined): SearchBody {
  const queryOf = (value: string) => entries.field.count.queryOf?.(value) ?? { match_none: {} };
  const filters = Object.fromEntries(roundOf(entries).map(({ value }, at) => [String(at), queryOf(value)]));
  return { size: 0, track_total_hits: false, aggregations: ofSample({ values: { filters: { filters } } }, probability) };
}

type Filtered = { buckets: Record<string, { doc_count: number }> };

/** @param response to `searchOf` */
function withCounts(entries: Entries, response: Found | undefined): Entries {
  const { buckets } = readSample(response?.aggregations).found['values'] as unknown as Filtered;
  const round = roundOf(entries);
  const found = round.map(({ value }, at) => ({ value, count: buckets[String(at)]?.doc_count ?? 0 })).filter(({ count }) => count > 0);
  const counted = [...entries.counted, ...found].toSorted((a, b) => b.count - a.count);
  return { ...entries, counted, looked: entries.looked + round.length, rounds: entries.rounds + 1 };
}

/** `other` has the candidates that were not counted with the number that they cannot exceed. */
function shownOf({ candidates, counted, looked, other, exact }: Entries): FieldFacet {
  const uncounted = sumOf(candidates.slice(looked)) + other;
  return {
    values: counted.slice(0, VALUES_MAX),
    other: sumOf(counted.slice(VALUES_MAX)) + uncounted,
    exact: exact && uncounted === 0,
  };
}

function sumOf(counts: Counted): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}
