import type { Query } from '../session.ts';
import type { PageSearch } from './read-page.ts';
import { all, keysOf } from './sections.ts';
import { sortValuesOf } from './sort-values.ts';

/** The times of the items of ranks `from` and `to` of a list, the oldest first. */
export type Oldest = { from: number; to: number; firstMs: number; lastMs: number };

/** Whether the list is in the opposite order of the index, so that a search visits all of its items. */
export function isOldestFirst({ sort }: Pick<PageSearch, 'sort'>): boolean {
  const keys = keysOf(sort).map(({ field, descending }) => `${field},${descending ? 'desc' : 'asc'}`);
  return keys.join(' ') === 'createdAt,asc contentId,asc';
}

/** So many items more are looked for than are needed, and twice as many: times are not spread evenly. */
const MARGIN = 100;

/**
 * Elasticsearch finds a range of times without visiting the other items.
 * @param end the number of items that are needed
 * @returns a query for the oldest items, which are probably enough
 */
export function withinOldest(query: Query, { from, to, firstMs, lastMs }: Oldest, end: number): Query {
  const untilMs = lastMs + ((lastMs - firstMs) * Math.max(2 * end + MARGIN - to, 0)) / (to - from);
  return all([query, { range: { createdAt: { lte: Math.ceil(untilMs) } } }]);
}

/** @returns undefined if the page has less than two items */
export function oldestIn(response: Buffer, { from, size }: PageSearch): Oldest | undefined {
  const [first, last] = [sortValuesOf(response, 'first'), sortValuesOf(response, 'last')];
  if (!first || !last || first.contentId === last.contentId) return undefined;
  return { from, to: from + size, firstMs: first.createdAtMs, lastMs: last.createdAtMs };
}
