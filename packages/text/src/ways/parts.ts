import { STOP_WORDS } from '../languages/languages.ts';

/** The ways to write a word as two, for example `dice tower`, without "a" and other stop words as parts. */
export function splitsOf(word: string, minLength = 1): string[] {
  return splitAnywhere(word, minLength).filter((text) => !hasStopWord(text));
}

/** "plugin" is also written "plug-in". Most words with such a part are no compounds, as "cabin". */
export function splitsAtStopWords(word: string): string[] {
  return splitAnywhere(word, 2).filter(hasStopWord);
}

function splitAnywhere(word: string, minLength: number): string[] {
  const letters = [...word];
  const ends = letters.map((_, at) => at).slice(minLength, letters.length - minLength + 1);
  return ends.map((at) => `${letters.slice(0, at).join('')} ${letters.slice(at).join('')}`);
}

function hasStopWord(text: string): boolean {
  return text.split(' ').some((part) => STOP_WORDS.includes(part));
}

/** "keychains" is also found as "key chain". */
export function splitsOfSingular(word: string): string[] {
  return word.endsWith('s') ? splitsOf(word.slice(0, -1)) : [];
}

const MAX_THREE_PARTS_LENGTH = 18;

/** The ways to write a word as three, for example `jack o lantern`: of 18 letters, 116. */
export function threePartsOf(word: string): string[] {
  const letters = [...word];
  if (letters.length > MAX_THREE_PARTS_LENGTH) return [];
  const firsts = letters.map((_, at) => at).slice(2, -3);
  return firsts.flatMap((at) => splitsOf(letters.slice(at).join('')).map((rest) => `${letters.slice(0, at).join('')} ${rest}`));
}

const MAX_SPELLED_LENGTH = 8;

/** One letter is a word in many languages, as in "i deal", but hardly ever one of these at this end. */
const WITH_ONE_LETTER = /^(?:[etux] [a-z]{3,}|[a-z]{3,} [bcx])$/;

/** "dicetower" is also written "dice tower", "tshirt" is "t-shirt", and "usbc" is "USB-C". */
export function compoundSplits(word: string): string[] {
  return [...splitsOf(word, 2), ...splitsOf(word).filter((parts) => WITH_ONE_LETTER.test(parts))];
}

/** Two letters with a vowel are words, such as "ea", and "e a" are two. */
const WITHOUT_VOWEL = /^(?:[^aeiouy]{2}|u[a-z])$/;

/** The terms of "S.T.A.L.K.E.R." are its letters. */
export function spelledOut(word: string): string[] {
  const letters = [...word];
  if (letters.length === 2 && !WITHOUT_VOWEL.test(word)) return [];
  return letters.length < 2 || letters.length > MAX_SPELLED_LENGTH ? [] : [letters.join(' ')];
}
