import { hasModifier } from '../../shared/has-modifier.ts';
import { createStore, useStore } from '../../shared/store.ts';
import { formatView, parseView, type View } from './query-string.ts';
import { enterEntry, type EntryState } from './scroll.ts';

const view = createStore(parseView(location.search));
addEventListener('popstate', () => {
  enterEntry(false);
  view.set(parseView(location.search));
});

/** What the address says that the page shows. */
export const useView = (): View => useStore(view);

type Replace = { replace?: boolean };

/** Changes the address, and with `replace` also the newest entry of the history instead of adding one. */
export function navigate(changes: Partial<View>, { replace = false }: Replace = {}): void {
  const next = { ...view.get(), ...changes };
  if (replace) history.replaceState(history.state, '', hrefOf(next));
  else {
    history.pushState({ isOpenedHere: true, id: Date.now() } satisfies EntryState, '', hrefOf(next));
    enterEntry(true);
  }
  view.set(parseView(location.search));
}

/** Completes the address that the page was opened with, so that it says how the list is sorted. */
export function completeAddress(): void {
  const shown = view.get();
  if (shown.ignored.length === 0 && formatView(shown) !== location.search.slice(1)) navigate({}, { replace: true });
}

/** Closes the item or the form. Goes back to the list from which it was opened, if there is one. */
export function closeDialog(): void {
  if ((history.state as EntryState | null)?.isOpenedHere) history.back();
  else navigate({ item: undefined, key: undefined, form: undefined }, { replace: true });
}

/** Another list: its first page, without an open item. */
export function showList(changes: Partial<View>, options?: Replace): void {
  navigate({ page: 0, item: undefined, key: undefined, form: undefined, hidden: undefined, ...changes }, options);
}

function hrefOf(target: View): string {
  const query = formatView(target);
  return query === '' ? location.pathname : `?${query}`;
}

/**
 * The attributes of a link to a view. It is followed inside the page, unless it is opened elsewhere, such as in a new tab.
 * `onFollow` is called after it is followed.
 */
export function linkTo(target: View, options?: Replace & { onFollow?: () => void }) {
  const onClick = (event: MouseEvent): void => {
    if (event.button !== 0 || hasModifier(event)) return;
    event.preventDefault();
    navigate(target, options);
    options?.onFollow?.();
  };
  return { href: hrefOf(target), onClick };
}
