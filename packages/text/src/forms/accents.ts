// Accents are folded. "München" is also written "Muenchen", "Søren" "Soeren", and "Đorđe" "Djordje". Folding makes
// "munchen" of the first only, since "ue" is no umlaut in most words, such as "blue". So an item with an umlaut has a key,
// by which two letters find it.

// Long vowels of Japanese in Latin letters are written with a macron, as two letters, or as one: "Jūdō", "Juudou", "Judo".

const WORDS = /[\p{L}\p{M}]+/gu;
/** Precomposed Latin letters. */
const ACCENTED = /[\u00df-\u024f\u1e00-\u1eff]/;
const UMLAUT = /[äöüøåđ]/;
const MACRON = /[āēīōū]/;
const AS_TWO_LETTERS: Readonly<Record<string, string>> = {
  ...{ ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa', đ: 'dj' },
  ...{ ā: 'aa', ē: 'ei', ī: 'ii', ō: 'ou', ū: 'uu' },
};

/** @returns the words of a text that have an accent, or a letter that folding replaces, in lower case */
export function wordsWithAccent(text: string): string[] {
  const words: string[] = text.normalize('NFC').toLowerCase().match(WORDS) ?? [];
  return words.filter((word) => ACCENTED.test(word));
}

/** @returns the words of a text that have an umlaut or a macron, in lower case */
export function wordsWithUmlaut(text: string): string[] {
  return wordsWithAccent(text).filter((word) => UMLAUT.test(word) || MACRON.test(word));
}

export function writeAsTwoLetters(word: string): string {
  return Array.from(word, (letter) => AS_TWO_LETTERS[letter] ?? letter).join('');
}

/** @param folded a word that is written with an umlaut */
export function umlautKey(folded: string): string {
  return `umlaut:${folded}`;
}

/** @param word in lower case, with its accents: an item with it ranks first where the accents are typed */
export function accentKey(word: string): string {
  return `accent:${word}`;
}

/** @returns the keys of a word in lower case, which has an accent, and of its folded form */
export function itemAccentKeys(word: string, folded: string): string[] {
  return [...(UMLAUT.test(word) ? [umlautKey(folded)] : []), ...(MACRON.test(word) ? [macronKey(folded)] : []), accentKey(word)];
}

/** @param folded a word that is written with a macron */
function macronKey(folded: string): string {
  return `macron:${folded}`;
}

const LONG_VOWELS = /ou|oo|uu|aa|ei|ee|ii/g;

/** @returns the key of items that write the long vowels of the folded word with macrons; none if it has no long vowel */
export function promptMacronKeys(word: string): string[] {
  const short = word.replaceAll(LONG_VOWELS, (vowel) => vowel.slice(0, 1));
  return short === word ? [] : [macronKey(short)];
}

/** Two letters that may be one. */
const TWO_LETTERS = /[aou]e|aa|dj/g;
const MAX_UMLAUTS = 3;

/**
 * @returns the keys of items that write the folded word with umlauts: for each choice of its first pairs of letters, and
 *   for all pairs
 */
export function promptUmlautKeys(word: string): string[] {
  const pairs = Array.from(word.matchAll(TWO_LETTERS), ({ index }) => index).toReversed();
  const withUmlaut = (text: string, at: number): string => text.slice(0, at + 1) + text.slice(at + 2);
  const some = pairs.slice(-MAX_UMLAUTS).reduce((words, at) => words.flatMap((one) => [one, withUmlaut(one, at)]), [word]);
  return [...new Set([...some, pairs.reduce(withUmlaut, word)])].filter((one) => one !== word).map(umlautKey);
}
