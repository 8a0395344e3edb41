import { createStore } from '../../shared/store.ts';
import { formatList, type View } from '../location/query-string.ts';
import type { Facets } from './types.ts';
import { reading } from './use-query.ts';

/** The number of items of a list. `of`: its `matchesOf`. `total` is undefined if the facets could not be counted. */
export type Counted = { of: string; total: number | undefined };

/** What was counted last. Lists are read without their number, which the facets beside them have. */
export const counted = createStore<Counted>({ of: '', total: undefined });

/** What lists with the same number of items have in common, whatever their pages and orders, until they are read again. */
export const matchesOf = (view: View): string => `${formatList({ ...view, page: 0, sort: [] })} ${reading()}`;

/** Keeps the number that facets of the view have, or that they could not be counted. @returns the facets */
export async function keepTotal(view: View, facets: Promise<Facets>, signal: AbortSignal): Promise<Facets> {
  const of = matchesOf(view);
  try {
    const read = await facets;
    counted.set({ of, total: read.totalElements });
    return read;
  } catch (error) {
    // Other tags of the same list may have been counted before.
    if (!signal.aborted && counted.get().of !== of) counted.set({ of, total: undefined });
    throw error;
  }
}
