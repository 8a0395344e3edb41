import type { estypes } from '@elastic/elasticsearch';
import type { Query } from '../session.ts';

/** One key of a sort. The last key of a sort is `contentId`, so no two items have the same position. */
export type Key = { field: string; descending: boolean };

/** The values of an item's sort keys: text, a number, a time in milliseconds, a score. A missing value is null. */
export type Position = (string | number | null)[];

type Directed = estypes.SortOrder | { order: estypes.SortOrder };

export function keysOf(sort: estypes.SortCombinations[]): Key[] {
  return sort.flatMap((key) =>
    Object.entries(key).map(([field, directed]: [string, Directed]) => ({ field, descending: orderOf(directed) === 'desc' })),
  );
}

/** The opposite order. Elasticsearch sorts missing values last in both directions, so here they are first. */
export function reverse(sort: estypes.SortCombinations[]): estypes.SortCombinations[] {
  return keysOf(sort).map(({ field, descending }) => {
    const order = descending ? 'asc' : 'desc';
    return { [field]: field === '_score' ? { order } : { order, missing: '_first' } };
  });
}

/**
 * @param values the `sort` of a hit: a missing number is the largest or the smallest of its type, which is infinite for a
 *   double, and a missing text null
 */
export function positionOf(values: estypes.SortResults): Position {
  return values.map((value) => (isMissing(value) ? null : value)) as Position;
}

/** JSON has no infinite numbers, so they are texts, and no key of a text has an upper-case letter at its beginning. */
const INFINITE: estypes.FieldValue[] = ['Infinity', '-Infinity'];

function isMissing(value: estypes.FieldValue): boolean {
  return value === null || INFINITE.includes(value) || (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER);
}

function orderOf(directed: Directed): estypes.SortOrder {
  return typeof directed === 'string' ? directed : directed.order;
}

/**
 * A place between two items: before all items that begin with these values of the sort keys, or, with `past`, after
 * all of them. With a value for each key that is one item, with fewer values a group of ties.
 */
export type Bound = { values: Position; past: boolean };

/** The items from `start` to `end`. Without a bound, all items on that side. */
export type Section = { start?: Bound | undefined; end?: Bound | undefined };

/** The first value of a bound, and the bound among the ties on it: undefined if they are all on the same side. */
type Split = { edge?: Edge; rest?: Bound | undefined };

/** @returns a filter for a section of the items that match `query`, whose scores are compared if a key is `_score` */
export function between(query: Query, keys: Key[], section: Section): Query {
  const [key, ...others] = keys;
  const start = split(section.start, false);
  const end = split(section.end, true);
  if (!key || (!start.edge && !end.edge)) return { match_all: {} };
  const range = valueRange(query, key, start.edge, end.edge);
  if (start.edge && start.edge.value === end.edge?.value) {
    return all([range, between(query, others, { start: start.rest, end: end.rest })]);
  }
  const ties = ({ edge, rest }: Split, outside: Section): Query[] =>
    rest ? [all([valueRange(query, key, edge, edge), between(query, others, outside)])] : [];
  const outside = [...ties(start, { end: start.rest }), ...ties(end, { start: end.rest })];
  return outside.length > 0 ? { bool: { filter: [range], must_not: outside } } : range;
}

function split(bound: Bound | undefined, isEnd: boolean): Split {
  if (!bound) return {};
  const [value = null, ...values] = bound.values;
  const rest = values.length > 0 ? { values, past: bound.past } : undefined;
  return { edge: { value, included: rest !== undefined || bound.past === isEnd }, rest };
}

type Edge = { value: Position[number]; included: boolean };

/** @returns a filter for the items from one value to another, in the direction of the key; missing values are last */
function valueRange(query: Query, key: Key, from: Edge | undefined, to: Edge | undefined): Query {
  if (key.field === '_score') return key.descending ? scoreRange(query, to, from) : scoreRange(query, from, to);
  const missing: Query = { bool: { must_not: { exists: { field: key.field } } } };
  if (from?.value === null) return from.included ? missing : { match_none: {} };
  const present = presentRange(key, from, to);
  return includesMissing(key, to) ? { bool: { should: [present, missing] } } : present;
}

/** Every item has an id. Elasticsearch counts a range without reading its items if there is no alternative to it. */
function includesMissing({ field }: Key, to: Edge | undefined): boolean {
  return field !== 'contentId' && (!to || (to.value === null && to.included));
}

function presentRange({ field, descending }: Key, from: Edge | undefined, to: Edge | undefined): Query {
  const limit = (edge: Edge | undefined, operator: 'gt' | 'lt') =>
    edge && edge.value !== null ? { [edge.included ? `${operator}e` : operator]: edge.value } : {};
  const limits = { ...limit(from, descending ? 'lt' : 'gt'), ...limit(to, descending ? 'gt' : 'lt') };
  return Object.keys(limits).length > 0 ? { range: { [field]: limits } } : { exists: { field } };
}

function scoreRange(query: Query, low: Edge | undefined, high: Edge | undefined): Query {
  const scoredFrom = (score: number): Query => ({ function_score: { query, min_score: score } });
  return {
    bool: {
      filter: low ? [scoredFrom(minScore(low.value, low.included))] : [],
      must_not: high ? [scoredFrom(minScore(high.value, !high.included))] : [],
    },
  };
}

/** @returns the lowest score from a score on, or above it: scores are 32-bit numbers and not negative */
export function minScore(value: Position[number], included: boolean): number {
  const score = Float32Array.of(Number(value));
  const bits = new Int32Array(score.buffer);
  if (!included) bits[0] = (bits[0] ?? 0) + 1;
  return score[0] ?? NaN;
}

export function all(filter: Query[]): Query {
  return { bool: { filter } };
}
