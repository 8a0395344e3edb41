import { normalized } from '../words/normalized.ts';

// Accents are folded. "München" is also written "Muenchen", "Søren" "Soeren", and "Đorđe" "Djordje". Folding makes
// "munchen" of the first only, since "ue" is no umlaut in most words, such as "blue". So an item with an umlaut has a key,
// by which two letters find it.

// Lucene folds the letter ə of Azerbaijani to "a", and people type "e" for it. So an item with it has a key with "e".

// Long vowels of Japanese in Latin letters are written with a macron, as two letters, or as one: "Jūdō", "Juudou", "Judo".

const WORDS = /[\p{L}\p{M}]+/gu;
/** Precomposed Latin letters. */
const ACCENTED = /[\u00df-\u024fə\u1e00-\u1eff]/;
const UMLAUT = /[äöüøåđ]/;
const MACRON = /[āēīōū]/;
const AS_TYPED: Readonly<Record<string, string>> = {
  ...{ ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa', đ: 'dj' },
  ...{ ā: 'aa', ē: 'ei', ī: 'ii', ō: 'ou', ū: 'uu' },
  ə: 'e',
};

/** @returns the words of a text that have an accent, or a letter that folding replaces, in lower case */
export function wordsWithAccent(text: string): string[] {
  const words: string[] = normalized(text, 'NFC').toLowerCase().match(WORDS) ?? [];
  return words.filter((word) => ACCENTED.test(word));
}

/** @returns the words of a text that have a letter which is also typed as others, each with these, in lower case */
export function typedOtherwise(text: string): { word: string; typed: string }[] {
  const words = wordsWithAccent(text).map((word) => ({ word, typed: Array.from(word, (letter) => AS_TYPED[letter] ?? letter).join('') }));
  return words.filter(({ word, typed }) => typed !== word);
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
export function itemAccentKeys(word: string, folded: string, fold: (text: string) => string): string[] {
  return [
    ...(UMLAUT.test(word) ? [umlautKey(folded)] : []),
    ...(MACRON.test(word) ? [macronKey(folded)] : []),
    ...(word.includes('ə') ? [schwaKey(fold(word.replaceAll('ə', 'e')))] : []),
    accentKey(word),
  ];
}

/** @param typed a folded word that is written with ə, with the letter e */
function schwaKey(typed: string): string {
  return `schwa:${typed}`;
}

/** @returns the key of items that write an e of the folded word as ə; none if it has no e */
export function promptSchwaKeys(word: string): string[] {
  return word.includes('e') ? [schwaKey(word)] : [];
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
