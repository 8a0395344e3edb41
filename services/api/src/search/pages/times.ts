import type { Query } from '../session.ts';
import type { PageSearch } from './read-page.ts';
import { all, keysOf } from './sections.ts';
import { sortValuesOf } from './sort-values.ts';

/** The orders by time. A walk is the newest first, and begins behind a place. */
export type TimeOrder = 'asc' | 'desc' | 'walk';
/** The times of the items of ranks `from` and `to` of a list that is sorted by time, of a walk those behind its place. */
export type Times = { from: number; to: number; firstMs: number; lastMs: number };

/**
 * So many items, the newest first, Elasticsearch finds without visiting many others: up to 256 times it visits less for each
 * better item that it finds, then seldom (Lucene's NumericComparator). The oldest first, it visits nearly all: the index is
 * sorted the other way.
 */
const SKIPS: Record<TimeOrder, number> = { asc: 0, desc: 256, walk: 256 };

/** @returns undefined if the list is sorted in another order */
export function timeOrder({ sort, afterMs }: Pick<PageSearch, 'sort' | 'afterMs'>): TimeOrder | undefined {
  const keys = keysOf(sort).map(({ field, descending }) => `${field},${descending ? 'desc' : 'asc'}`);
  const direction = (['asc', 'desc'] as const).find((one) => keys.join(' ') === `createdAt,${one} contentId,${one}`);
  return afterMs === undefined ? direction : 'walk';
}

/** Whether to search within a range of times for the first `end` items. */
export function needsTimes(order: TimeOrder, end: number): boolean {
  return end > SKIPS[order];
}

/** Whether to remember the times of a page: also of those before the pages that need a range. */
export function teachesTimes(order: TimeOrder, end: number): boolean {
  return end > SKIPS[order] / 2;
}

/** So many items more are looked for than are needed, and twice as many: times are not spread evenly. */
const MARGIN = 100;

/**
 * Elasticsearch finds a range of times without visiting the other items.
 * @param end the number of items that are needed
 * @returns a query for the first items of the page's list, which are probably enough
 */
export function withinTimes(page: PageSearch, order: TimeOrder, times: Times, end: number): Query {
  const untilMs = endOf(page, times, end);
  const createdAt = order === 'asc' ? { lte: Math.ceil(untilMs) } : { gte: Math.floor(untilMs) };
  return all([page.query, { range: { createdAt } }]);
}

function endOf({ afterMs }: PageSearch, { from, to, firstMs, lastMs }: Times, end: number): number {
  const msPerItem = (lastMs - firstMs) / (to - from);
  const items = Math.max(2 * end + MARGIN - (afterMs === undefined ? to : 0), 0);
  return (afterMs ?? lastMs) + msPerItem * items;
}

/** So many times as many items as are looked for may be within the times, before those of another page are remembered. */
const EXCESS = 4;

/**
 * Items that were added since make a range have more items than it was to have: of the newest, without an end.
 * @param times within which the page was read @param found the times of the page
 */
export function haveTooMany(page: PageSearch, times: Times, found: Times, end: number): boolean {
  const msPerItem = Math.abs(found.lastMs - found.firstMs) / (found.to - found.from);
  const excessMs = Math.abs(endOf(page, times, end) - found.lastMs);
  // The items of a page may have the same time, which tells nothing.
  return msPerItem > 0 && excessMs > msPerItem * EXCESS * (2 * end + MARGIN);
}

/** @returns undefined if the page has less than two items */
export function timesIn(response: Buffer, { from, size }: PageSearch): Times | undefined {
  const [first, last] = [sortValuesOf(response, 'first'), sortValuesOf(response, 'last')];
  if (!first || !last || first.contentId === last.contentId) return undefined;
  return { from, to: from + size, firstMs: first.createdAtMs, lastMs: last.createdAtMs };
}
