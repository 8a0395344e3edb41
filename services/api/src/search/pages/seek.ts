import type { estypes } from '@elastic/elasticsearch';
import { all, between, minScore, type Bound, type Key, type Position, type Section } from './sections.ts';
import { SearchFailed, totalOf } from '../response.ts';
import type { Query, Session } from '../session.ts';
import { samplePositions, sampleValues, type Pair } from './sample.ts';

/** The items from rank `from` to `to`, not included, of a sorted list. The first item has rank 0. */
export type RankRange = { query: Query; sort: estypes.SortCombinations[]; keys: Key[]; from: number; to: number; total: number };

/** A section and the ranks of its bounds. */
export type Bracket = Section & { startRank: number; endRank: number };

/** Two or three are usual with a million items. */
const MAX_ROUNDS = 25;

/**
 * Finds a section of at most `maxItems` items that contains the range. Each round guesses two bounds from a random
 * sample of the section so far, and counts their exact ranks. The sample affects only the number of rounds.
 * @throws errors of `Session` · SearchFailed
 */
export async function seek(session: Session, range: RankRange, maxItems: number): Promise<Bracket> {
  let bracket: Bracket = { startRank: 0, endRank: range.total };
  let splitsTies = false;
  for (let round = 1; bracket.endRank - bracket.startRank > maxItems; round += 1) {
    if (round > MAX_ROUNDS) throw new SearchFailed(`${MAX_ROUNDS} samples did not find the page`);
    const bounds = await guessBounds(session, range, bracket, { seed: round, splitsTies });
    const narrower = await narrow(session, range, bracket, bounds);
    // Where the page contains the border of two groups of ties, only a bound inside of a group is nearer.
    splitsTies ||= narrower === bracket;
    bracket = narrower;
  }
  return bracket;
}

type Round = { seed: number; splitsTies: boolean };

/** @returns at most two bounds, in the order of the sort */
async function guessBounds(session: Session, range: RankRange, bracket: Bracket, { seed, splitsTies }: Round): Promise<Bound[]> {
  const { keys, sort, from, to } = range;
  const { startRank, endRank } = bracket;
  const ranks = { from: from - startRank, to: to - startRank, count: endRank - startRank };
  const sampled = { query: sectionQuery(range, bracket), sort, ...ranks, seed };
  const ties = commonValues(bracket);
  const key = keys[ties.length];
  if (!splitsTies && key && key.field !== '_score') return groupBounds(ties, await sampleValues(session, sampled, key));
  const { low, high } = await samplePositions(session, sampled);
  if (!splitsTies) return groupBounds(ties, { low: low?.[ties.length], high: high?.[ties.length] });
  return [low, high].filter((values) => values !== undefined).map((values) => ({ values, past: false }));
}

/** Bounds before the groups of ties with two values, or on both sides of the group if the values are the same. */
function groupBounds(ties: Position, { low, high }: Pair<Position[number]>): Bound[] {
  const bounds = [
    { value: low, past: false },
    { value: high, past: low === high },
  ];
  return bounds.flatMap(({ value, past }) => (value === undefined ? [] : [{ values: [...ties, value], past }]));
}

function commonValues({ start, end }: Section): Position {
  if (!start || !end) return [];
  const length = start.values.findIndex((value, n) => value !== end.values[n]);
  return length === -1 ? start.values : start.values.slice(0, length);
}

function sectionQuery({ query, keys }: RankRange, section: Section): Query {
  return { bool: { must: [query], filter: [between(query, keys, section)] } };
}

async function narrow(session: Session, range: RankRange, bracket: Bracket, bounds: Bound[]): Promise<Bracket> {
  const inside = bounds.filter((bound) => isInside(bound, bracket));
  const ranks = await ranksOf(session, range, bracket, inside);
  return inside.reduce((narrower, bound, n) => moveBound(narrower, bound, ranks[n] ?? NaN, range), bracket);
}

/** A bracket may begin or end inside of a group of ties. */
function isInside({ values, past }: Bound, { start, end }: Bracket): boolean {
  const bound = past ? end : start;
  return !values.every((value, n) => value === bound?.values[n]);
}

async function ranksOf(session: Session, range: RankRange, { start, startRank }: Bracket, bounds: Bound[]): Promise<number[]> {
  if (bounds.every((bound) => isScore(range.keys, bound))) return Promise.all(bounds.map((bound) => rankOfScore(session, range, bound)));
  const { query, keys } = range;
  const counts = bounds.map((end, n) => countWithin(session, all([query, between(query, keys, { start: bounds[n - 1] ?? start, end })])));
  let rank = startRank;
  return (await Promise.all(counts)).map((count) => (rank += count));
}

/** Whether the bound divides the list by score alone. */
export function isScore(keys: Key[], { values }: Bound): boolean {
  return keys[0]?.field === '_score' && values.length === 1;
}

/** With `min_score` instead of a filter, Elasticsearch computes each score once, and in bulk: a third of the time. */
async function rankOfScore(session: Session, { query, keys: [key], total }: RankRange, { values, past }: Bound): Promise<number> {
  const descending = key?.descending ?? true;
  const count = await countWithin(session, query, minScore(values[0] ?? null, past === descending));
  return descending ? count : total - count;
}

/** A bound between the first and the last item of the range is of no use. */
function moveBound(bracket: Bracket, bound: Bound, rank: number, { from, to }: RankRange): Bracket {
  if (rank <= from && rank >= bracket.startRank) return { ...bracket, start: bound, startRank: rank };
  if (rank >= to && rank <= bracket.endRank) return { ...bracket, end: bound, endRank: rank };
  return bracket;
}

async function countWithin(session: Session, query: Query, min_score?: number): Promise<number> {
  const counted = await session.search({ query, size: 0, track_total_hits: true, ...(min_score !== undefined && { min_score }) });
  return totalOf(counted.hits);
}
