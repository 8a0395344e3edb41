/** Whether a key or a click has a meaning of the browser, such as opening a link in a new tab. */
export function hasModifier({ metaKey, ctrlKey, shiftKey, altKey }: KeyboardEvent | MouseEvent): boolean {
  return metaKey || ctrlKey || shiftKey || altKey;
}
