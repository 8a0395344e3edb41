const SHOWN_MAX = 6;

/** The commas of the languages of the page. */
const COMMAS = /[,،、，]/;

/** @returns the tags before, between and behind commas */
export function splitTags(text: string): string[] {
  const tags = text.split(COMMAS).map((tag) => tag.trim());
  return tags.filter((tag) => tag !== '');
}

export const isComma = (key: string): boolean => key.length === 1 && COMMAS.test(key);

/** `pixel art`, `Pixel-Art` and `pixel_art` have the same. That of a syllable of Hangul begins that of what it may become. */
function keyOf(tag: string): string {
  return tag
    .normalize('NFKD')
    .replace(/[\p{M}\s_-]/gu, '')
    .replace(COMPOUND_LETTER, (letter) => KEYS_OF[letter] ?? letter)
    .toLowerCase();
}

/** Letters of Hangul from U+1161 and U+11A8 on, in their order, by the keys that type them: those of `두부` begin with those of `둡`. */
const VOWELS = 'ᅡ ᅢ ᅣ ᅤ ᅥ ᅦ ᅧ ᅨ ᅩ ᅩᅡ ᅩᅢ ᅩᅵ ᅭ ᅮ ᅮᅥ ᅮᅦ ᅮᅵ ᅲ ᅳ ᅳᅵ'.split(' ');
const FINALS = 'ᄀ ᄁ ᄀᄉ ᄂ ᄂᄌ ᄂᄒ ᄃ ᄅ ᄅᄀ ᄅᄆ ᄅᄇ ᄅᄉ ᄅᄐ ᄅᄑ ᄅᄒ ᄆ ᄇ ᄇᄉ ᄉ ᄊ ᄋ ᄌ ᄎ ᄏ ᄐ ᄑ ᄒ'.split(' ');
const COMPOUND_LETTER = /[\u1161-\u1174\u11a8-\u11c2]/g;
const KEYS_OF = Object.fromEntries([
  ...VOWELS.map((keys, at) => [String.fromCharCode(0x1161 + at), keys] as const),
  ...FINALS.map((keys, at) => [String.fromCharCode(0x11a8 + at), keys] as const),
]);

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
