import { wordsWithAccent } from '../forms/accents.ts';
import { ENGLISH, LANGUAGES, listed, STOP_WORDS } from '../languages/languages.ts';
import { foldText } from '../words/fold-text.ts';

/** The small words of a language by their folded form, and the letters with accents that it writes, if it is one with Latin letters. */
type Spellings = ReadonlyMap<string, string[]>;
type Small = { spellings: Spellings; accents: string | undefined };

const ENGLISH_WORDS: ReadonlySet<string> = new Set([...STOP_WORDS, ...listed(ENGLISH.functionWords)]);
const OTHER_LANGUAGES = LANGUAGES.filter(({ code }) => code !== ENGLISH.code).map(({ functionWords, accents }): Small => ({
  spellings: Map.groupBy(listed(functionWords), foldText),
  accents,
}));
/** Words with another meaning in English, such as "man" and "hat": without other small words of a language they are these. */
const CONTENT_WORDS: ReadonlySet<string> = new Set(listed(ENGLISH.contentWords));
const ONE_LETTER = /^\p{sc=Latin}$/u;
/** Letters that no language with a list has. */
const VIETNAMESE = /[ơư\u1ea0-\u1ef9]/;
/** Words of two letters are words of many languages. */
const MIN_TELLING_LENGTH = 3;

/** The words of a prompt that are typed with accents, by their folded form. */
export type Accented = ReadonlyMap<string, string>;

export function accentedWords(prompt: string): Accented {
  return new Map(wordsWithAccent(prompt).map((word) => [foldText(word), word]));
}

/**
 * The words of a prompt that carry grammar in its language, which is the one with most of these words. English ones, such as
 * "do" in Polish, do not tell the language. English stop words are dropped in any case.
 * @param words folded
 */
export function smallWords(words: readonly string[], accented: Accented = new Map()): ReadonlySet<string> {
  const counted = OTHER_LANGUAGES.map(({ spellings, accents }) => {
    const small = words.filter((word) => isIn(spellings, word, accented));
    return { small: new Set(small), count: small.length, certain: small.filter((word) => isCertain(word, accented)), accents };
  });
  const likely = counted.filter((language) => isPossible(language, accented));
  const most = Math.max(0, ...likely.map(({ count }) => count));
  if (most === 0 || most < words.filter((word) => ENGLISH_WORDS.has(word) && !isOther(word, accented)).length) return new Set();
  const best = likely.filter(({ count }) => count === most);
  return new Set(words.filter((word) => best.some(({ small }) => small.has(word))));
}

/** A word may be typed without its accents, but not with others: Vietnamese "dã" is no "da". */
function isIn(spellings: Spellings, word: string, accented: Accented): boolean {
  const typed = accented.get(word);
  return typed === undefined ? spellings.has(word) : (spellings.get(word)?.includes(typed) ?? false);
}

/** Whether a folded word, such as an English stop word, is typed with accents that make it another one: "thé", and not "à". */
export function isOther(word: string, accented: Accented): boolean {
  return accented.has(word) && !OTHER_LANGUAGES.some(({ spellings }) => isIn(spellings, word, accented));
}

/** With letters that a language lacks, such as those of a foreign name, only its longer words tell it. */
function isPossible({ certain, accents }: { certain: string[]; accents: string | undefined }, accented: Accented): boolean {
  const letters = [...accented.values()].join('').replaceAll(/[\0-\x7f]/g, '');
  const isForeign = accents !== undefined && [...letters].some((letter) => !accents.includes(letter));
  if (isForeign && VIETNAMESE.test(letters)) return false;
  return certain.some((word) => !isForeign || word.length >= MIN_TELLING_LENGTH);
}

/** "für" is no English word, unlike "fur". */
function isCertain(word: string, accented: Accented): boolean {
  return !ONE_LETTER.test(word) && (accented.has(word) || (!ENGLISH_WORDS.has(word) && !CONTENT_WORDS.has(word)));
}
