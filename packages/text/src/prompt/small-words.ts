import { ENGLISH, LANGUAGES, listed, STOP_WORDS } from '../languages/languages.ts';

const ENGLISH_WORDS: ReadonlySet<string> = new Set([...STOP_WORDS, ...listed(ENGLISH.functionWords)]);
const OTHER_LANGUAGES = LANGUAGES.filter(({ code }) => code !== ENGLISH.code).map(({ functionWords }) => new Set(listed(functionWords)));
/** Words with another meaning in English, such as "man" and "hat": without other small words of a language they are these. */
const CONTENT_WORDS: ReadonlySet<string> = new Set(listed(ENGLISH.contentWords));
const ONE_LETTER = /^\p{sc=Latin}$/u;

/**
 * The words of a prompt that carry grammar in its language, which is the one with most of these words. English ones, such as
 * "do" in Polish, do not tell the language. English stop words are dropped in any case.
 * @param words folded
 */
export function smallWords(words: readonly string[]): ReadonlySet<string> {
  const counted = OTHER_LANGUAGES.map((small) => ({ small, count: words.filter((word) => small.has(word)).length }));
  const likely = counted.filter(({ small }) => words.some((word) => small.has(word) && isCertain(word)));
  const most = Math.max(0, ...likely.map(({ count }) => count));
  if (most === 0 || most < words.filter((word) => ENGLISH_WORDS.has(word)).length) return new Set();
  const best = likely.filter(({ count }) => count === most);
  return new Set(words.filter((word) => best.some(({ small }) => small.has(word))));
}

function isCertain(word: string): boolean {
  return !ENGLISH_WORDS.has(word) && !CONTENT_WORDS.has(word) && !ONE_LETTER.test(word);
}
