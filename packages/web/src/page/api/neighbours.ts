import type { View } from '../location/query-string.ts';

/** A page of a list, as it is shown. */
export type Listed = { view: View; ids: number[]; isLast: boolean };
/** Finds the item beside another one, and its page of the list. */
export type Neighbour = () => Promise<{ item: number; page: number } | undefined>;

/** The items before and after an item of the list, also on another page; undefined where the list ends. */
export function neighboursOf(list: Listed | undefined, item: number, readIds: (view: View) => Promise<number[]>) {
  const position = list?.ids.indexOf(item) ?? -1;
  const neighbour = (step: 1 | -1): Neighbour | undefined => {
    if (!list || position < 0) return undefined;
    const { view, ids, isLast } = list;
    const beside = ids[position + step];
    if (beside !== undefined) return () => Promise.resolve({ item: beside, page: view.page });
    const page = view.page + step;
    if (page < 0 || (step === 1 && isLast)) return undefined;
    return async () => {
      const found = (await readIds({ ...view, page })).at(step === 1 ? 0 : -1);
      return found === undefined ? undefined : { item: found, page };
    };
  };
  return { previous: neighbour(-1), next: neighbour(1) };
}
