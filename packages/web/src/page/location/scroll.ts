/**
 * Where each entry of the history was scrolled to. The browser would restore it before the list of the entry is shown, when
 * the page is not long enough yet.
 */
const KEY = 'scroll';
const positions = JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Record<string, number>;
const entry = (): string => String((history.state as { id?: number } | null)?.id);

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
