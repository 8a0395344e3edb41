/**
 * Keeps the keyboard where it is when the element that has the focus is removed or moved, which loses the focus. It goes
 * to the nearest that remains of: the element, its `[data-focus-place]`, the title of its dialog, the title of the page.
 */
export function keepFocus(): void {
  let places: Places | undefined;
  addEventListener('focusin', ({ target }) => (places = placesOf(target as HTMLElement)));
  // A click beside everything takes the focus away on purpose.
  addEventListener('pointerdown', () => (places = undefined));
  const restore = (): void => {
    if (!places || document.activeElement !== document.body || !document.hasFocus()) return;
    const remaining = [...places, titleOfPage()].find((place) => place?.isConnected);
    remaining?.focus({ preventScroll: true });
  };
  new MutationObserver(restore).observe(document.body, { childList: true, subtree: true });
}

export const titleOfPage = (): HTMLElement | null => document.querySelector('[data-title-of-page]');

type Places = (HTMLElement | null | undefined)[];

function placesOf(target: HTMLElement): Places {
  return [target, target.closest<HTMLElement>('[data-focus-place]'), target.closest('dialog')?.querySelector('h2')];
}
