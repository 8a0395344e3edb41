/** What is typed for a quotation mark; the page has the same ones in `wider-searches.ts`. */
export const QUOTES = '“”„‟«»＂';
const TYPED = new RegExp(`[${QUOTES}]`, 'g');
/** Two apostrophes are typed for the mark inside of a Hebrew abbreviation. */
const TWO_APOSTROPHES = /(?<=\p{sc=Hebrew})['’׳]{2}(?=\p{sc=Hebrew})/gu;

// In regular expressions with the flag `u` or `v`. Between two letters of Hebrew, the mark belongs to an abbreviation.
const QUOTE = String.raw`(?:"(?!\p{sc=Hebrew})|(?<!\p{sc=Hebrew})")`;
const QUOTED = String.raw`(?:[^"]|(?<=\p{sc=Hebrew})"(?=\p{sc=Hebrew}))`;
export const QUOTATION = `${QUOTE}${QUOTED}*${QUOTE}`;
/** One that is not empty. */
export const PHRASE = `${QUOTE}(?<phrase>${QUOTED}+)${QUOTE}`;

/** @returns the text with `"` for each quotation mark, and inside of Hebrew abbreviations */
export function unifyQuotes(text: string): string {
  return text.replace(TYPED, '"').replace(TWO_APOSTROPHES, '"');
}

const MARKS = new RegExp(QUOTE, 'gu');

/** @param text by `unifyQuotes` */
export function withoutQuotes(text: string): string {
  return text.replaceAll(MARKS, ' ');
}
