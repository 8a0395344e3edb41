import type { estypes } from '@elastic/elasticsearch';
import { all, valueRange, type Edge } from './value-range.ts';
import type { Key, Position } from './sort-order.ts';

type Query = estypes.QueryDslQueryContainer;

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
