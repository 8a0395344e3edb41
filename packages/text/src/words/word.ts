/**
 * A part of the prompt that an item has or lacks, in folded form:
 * - `word`: one term
 * - `literal`: text with symbols, such as `c++` or `r2-d2`; see `parseLiteral`
 * - `run`: an emoji, or text of a script without spaces, of which each character is a term
 *
 * `count` is the number of occurrences in the prompt: repeated words weigh more. `within` is the literal or run that the word
 * is a part of, such as `salt/pepper`.
 */
export type Word = { text: string; kind: 'word' | 'literal' | 'run'; count: number; within?: string };

const LETTERS = /^[\p{L}\p{M}]+$/u;
const LATIN = /\p{sc=Latin}/u;

export function hasOnlyLetters(text: string): boolean {
  return LETTERS.test(text);
}

/** Whether a text has a Latin letter. */
export function isLatin(text: string): boolean {
  return LATIN.test(text);
}
