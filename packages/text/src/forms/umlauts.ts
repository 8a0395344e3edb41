// "München" is also written "Muenchen", "Søren" "Soeren", and "Đorđe" "Djordje". Folding makes "munchen" of the first only,
// since "ue" is no umlaut in most words, such as "blue". So an item with an umlaut has a key, by which two letters find it.

const WORDS = /[\p{L}\p{M}]+/gu;
const UMLAUT = /[äöüøåđ]/;
const AS_TWO_LETTERS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa', đ: 'dj' };

/** @returns the words of a text that have an umlaut, in lower case */
export function wordsWithUmlaut(text: string): string[] {
  const words: string[] = text.normalize('NFC').toLowerCase().match(WORDS) ?? [];
  return words.filter((word) => UMLAUT.test(word));
}

export function writeAsTwoLetters(word: string): string {
  return word.replace(/[äöüøåđ]/g, (letter) => AS_TWO_LETTERS[letter] ?? letter);
}

/** @param folded a word that is written with an umlaut */
export function umlautKey(folded: string): string {
  return `umlaut:${folded}`;
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
