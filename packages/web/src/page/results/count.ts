import type { ListPage, ShownPage } from '../api/types.ts';
import type { View } from '../location/query-string.ts';

/** A page of a list. `matches`: what its number of items is kept by (`matchesOf`). */
export type List = { page: ListPage; of: View; matches: string };

/** The numbers of items and of pages. */
export type Count = { total: number; pages: number };

/**
 * The last page of a list, and an empty first one, say themselves how many items there are, and another one that there are
 * more. @param counted the number that the facets have @returns undefined if it is not known
 */
export function countOf({ page, of }: { page: ShownPage; of: View }, counted?: number): Count | undefined {
  const total = page.totalElements ?? totalIn(page, of) ?? counted;
  if (total === undefined) return undefined;
  const least = page.last ? 0 : (of.page + 1) * of.size + 1;
  const all = Math.max(total, least);
  return { total: all - page.removed, pages: Math.ceil(all / of.size) };
}

function totalIn({ content, removed, last }: ShownPage, { page, size }: View): number | undefined {
  const found = content.length + removed;
  const isEnd = found === 0 ? page === 0 : last;
  return isEnd ? page * size + found : undefined;
}
