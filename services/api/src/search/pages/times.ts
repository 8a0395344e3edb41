import type { Query } from '../session.ts';
import type { PageSearch } from './read-page.ts';
import { all, keysOf } from './sections.ts';
import { sortValuesOf } from './sort-values.ts';

export type Direction = 'asc' | 'desc';
/** The times of the items of ranks `from` and `to` of a list that is sorted by time. */
export type Times = { from: number; to: number; firstMs: number; lastMs: number };

/**
 * So many items, the newest first, Elasticsearch finds without visiting many others: up to 256 times it visits less for each
 * better item that it finds, then seldom (Lucene's NumericComparator). The oldest first, it visits nearly all: the index is
 * sorted the other way.
 */
const SKIPS: Record<Direction, number> = { asc: 0, desc: 256 };

/** @returns in which direction a list is sorted by time; undefined if it is not, or continues behind a place */
export function timeOrder({ sort, isContinued }: Pick<PageSearch, 'sort' | 'isContinued'>): Direction | undefined {
  const keys = keysOf(sort).map(({ field, descending }) => `${field},${descending ? 'desc' : 'asc'}`);
  return isContinued ? undefined : (['asc', 'desc'] as const).find((one) => keys.join(' ') === `createdAt,${one} contentId,${one}`);
}

/** Whether to search within a range of times for the first `end` items. */
export function needsTimes(direction: Direction, end: number): boolean {
  return end > SKIPS[direction];
}

/** Whether to remember the times of a page: also of those before the pages that need a range. */
export function teachesTimes(direction: Direction, end: number): boolean {
  return end > SKIPS[direction] / 2;
}

/** So many items more are looked for than are needed, and twice as many: times are not spread evenly. */
const MARGIN = 100;

/**
 * Elasticsearch finds a range of times without visiting the other items.
 * @param end the number of items that are needed
 * @returns a query for the first items, which are probably enough
 */
export function withinTimes(query: Query, direction: Direction, { from, to, firstMs, lastMs }: Times, end: number): Query {
  const untilMs = lastMs + ((lastMs - firstMs) * Math.max(2 * end + MARGIN - to, 0)) / (to - from);
  const createdAt = direction === 'asc' ? { lte: Math.ceil(untilMs) } : { gte: Math.floor(untilMs) };
  return all([query, { range: { createdAt } }]);
}

/** @returns undefined if the page has less than two items */
export function timesIn(response: Buffer, { from, size }: PageSearch): Times | undefined {
  const [first, last] = [sortValuesOf(response, 'first'), sortValuesOf(response, 'last')];
  if (!first || !last || first.contentId === last.contentId) return undefined;
  return { from, to: from + size, firstMs: first.createdAtMs, lastMs: last.createdAtMs };
}
