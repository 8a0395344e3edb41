/** The key belongs to an input method. Safari sends the Enter that ends a composition after it, with this code. */
export const isComposing = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229;

/**
 * What a key does in a list below a text field: the option that it makes active, of which -1 is the text field itself, or
 * 'close'.
 * @returns undefined if the key means something else
 */
export function moveActive(event: KeyboardEvent, active: number, count: number): number | 'close' | undefined {
  if (count === 0 || isComposing(event)) return undefined;
  if (event.key === 'ArrowDown') return active + 1 < count ? active + 1 : -1;
  if (event.key === 'ArrowUp') return active >= 0 ? active - 1 : count - 1;
  return event.key === 'Escape' ? 'close' : undefined;
}
