import { useRef } from 'preact/hooks';
import { useStore } from '../../shared/store.ts';
import { counted, type Counted } from '../api/counted.ts';
import { withoutDeleted } from '../api/deletions.ts';
import type { ShownPage } from '../api/types.ts';
import { formatList } from '../location/query-string.ts';
import { countOf, type Count, type List } from './count.ts';

/** The digits of a number when none is known. */
const DIGITS = 3;

/** `facets`: what they have counted of the list; undefined before. */
type Kept = { list: List | undefined; facets: Counted | undefined };

/** `count`: undefined while it is not known. `isCounted`: whether it is known, or cannot be at present. */
type Shown = { list: List | undefined; page: ShownPage | undefined; count: Count | undefined; isCounted: boolean };

/**
 * The list that is shown, with its number: it is shown before its number is known, unless it is read again after a change.
 * What the user has deleted since it was read is neither shown nor counted.
 * `isNewest`: whether it is the one that was read last. `digits`: how many its number may have, as the one before.
 */
export function useCountedList(newest: List | undefined): Shown & { isNewest: boolean; digits: number } {
  const facets = useStore(counted);
  const kept = useRef<Kept>({ list: undefined, facets: undefined });
  const { list } = kept.current;
  // The facets of the next list may be known before the list itself.
  if (newest !== list || facets.of === newest?.matches) {
    const next = { list: newest, facets: facets.of === newest?.matches ? facets : undefined };
    if (shownOf(next).isCounted || !isSame(list, newest)) kept.current = next;
  }
  const digits = facets.total ? String(facets.total).length : DIGITS;
  return { ...shownOf(kept.current), isNewest: kept.current.list === newest, digits };
}

function shownOf({ list, facets }: Kept): Shown {
  const page = list && withoutDeleted(list.page);
  const count = page && countOf({ page, of: list.of }, facets?.total);
  return { list, page, count, isCounted: facets !== undefined || count !== undefined };
}

function isSame(list: List | undefined, other: List | undefined): boolean {
  return list !== undefined && other !== undefined && formatList(list.of) === formatList(other.of);
}
