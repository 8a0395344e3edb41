import { useRef } from 'preact/hooks';
import { useStore } from '../../shared/store.ts';
import { counted, type Counted } from '../api/counted.ts';
import { formatList } from '../location/query-string.ts';
import { countOf, type Count, type List } from './count.ts';

/** The digits of a number when none is known. */
const DIGITS = 3;

/** `count`: undefined while it is not known. `isCounted`: whether it is known, or cannot be at present. */
type Shown = { list: List | undefined; count: Count | undefined; isCounted: boolean };

/**
 * The list that is shown, with its number: it is shown before its number is known, unless it is read again after a change.
 * `isNewest`: whether it is the one that was read last. `digits`: how many its number may have, as the one before.
 */
export function useCountedList(newest: List | undefined): Shown & { isNewest: boolean; digits: number } {
  const facets = useStore(counted);
  const shown = useRef<Shown>({ list: undefined, count: undefined, isCounted: false });
  const { list } = shown.current;
  // The facets of the next list may be known before the list itself.
  if (newest !== list || facets.of === newest?.matches) {
    const next = withCount(newest, facets);
    if (next.isCounted || !isSame(list, newest)) shown.current = next;
  }
  const digits = facets.total ? String(facets.total).length : DIGITS;
  return { ...shown.current, isNewest: shown.current.list === newest, digits };
}

function withCount(list: List | undefined, facets: Counted): Shown {
  const isOfList = facets.of === list?.matches;
  const count = list && countOf(list, isOfList ? facets.total : undefined);
  return { list, count, isCounted: isOfList || count !== undefined };
}

function isSame(list: List | undefined, other: List | undefined): boolean {
  return list !== undefined && other !== undefined && formatList(list.of) === formatList(other.of);
}
