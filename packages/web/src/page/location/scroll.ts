import type { EntryState } from './view.ts';

/**
 * Where each entry of the history was scrolled to. The browser would restore it before the list of the entry is shown, when
 * the page is not long enough yet.
 */
const KEY = 'scroll';
const positions = JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Record<number, number>;

/** The id of the present entry, which has none yet if the page was opened with it. */
function entry(): number {
  if (!history.state) history.replaceState({ id: Date.now() } satisfies EntryState, '');
  return (history.state as EntryState).id;
}

/** Undefined once it is restored. */
let wanted: number | undefined = positions[entry()];

history.scrollRestoration = 'manual';
addEventListener('scroll', () => {
  if (wanted === undefined) positions[entry()] = scrollY;
});
addEventListener('popstate', () => (wanted = positions[entry()] ?? 0));
addEventListener('pagehide', () => sessionStorage.setItem(KEY, JSON.stringify(positions)));

/** Called when the list of the present entry is shown. @returns false for an entry that was not shown before */
export function restoreScroll(): boolean {
  if (wanted === undefined) return false;
  scrollTo({ top: wanted });
  wanted = undefined;
  return true;
}
