const SHOWN_MAX = 6;

/** `pixel art`, `Pixel-Art` and `pixel_art` have the same. */
function keyOf(tag: string): string {
  return tag
    .normalize('NFKD')
    .replace(/[\p{M}\s_-]/gu, '')
    .toLowerCase();
}

/** What all tags begin with that may complete the text: they may separate its words in another way. */
export function prefixOf(text: string): string {
  return /^[\p{L}\p{M}\p{N}]*/u.exec(text.trimStart())?.[0] ?? '';
}

/** @param tags those of the collection, the most frequent first · @param chosen those of the item */
export function completionsOf(text: string, tags: string[], chosen: string[]): string[] {
  const key = keyOf(text);
  if (key === '') return [];
  return tags.filter((tag) => keyOf(tag).startsWith(key) && tag !== text.trim() && !chosen.includes(tag)).slice(0, SHOWN_MAX);
}
