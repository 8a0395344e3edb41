/**
 * Where each entry of the history was scrolled to. The browser would restore it before the list of the entry is shown, when
 * the page is not long enough yet.
 */
const KEY = 'scroll';
const positions = JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Record<number, number>;

/** The state of an entry of the history. `isOpenedHere`: this page has added it, which is to say it is not the first one. */
export type EntryState = { id: number; isOpenedHere?: true };

/** The id of the present entry, which has none yet if the page was opened with it. */
function entry(): number {
  if (!history.state) history.replaceState({ id: Date.now() } satisfies EntryState, '');
  return (history.state as EntryState).id;
}

/** Where the present entry was left; undefined once it is restored. */
let wanted: number | undefined = positions[entry()];

history.scrollRestoration = 'manual';
addEventListener('scroll', () => {
  if (wanted === undefined) positions[entry()] = scrollY;
});
addEventListener('pagehide', () => sessionStorage.setItem(KEY, JSON.stringify(positions)));

/** Called before anything of another entry is shown. @param isNew begins at its top, whatever was about to be restored */
export function enterEntry(isNew: boolean): void {
  wanted = isNew ? undefined : (positions[entry()] ?? 0);
}

/** Called when the list of the present entry is shown. @returns false for an entry that was not shown before */
export function restoreScroll(): boolean {
  if (wanted === undefined) return false;
  scrollTo({ top: wanted });
  wanted = undefined;
  return true;
}
