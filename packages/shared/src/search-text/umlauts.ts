// "München" is also written "Muenchen", and "Søren" "Soeren". Folding makes "munchen" of the first only, since "ue" is no
// umlaut in most words, such as "blue". So an item with an umlaut has a key, by which two letters find it.

const WITH_UMLAUT = /[\p{L}\p{M}]*[äöüøå][\p{L}\p{M}]*/gu;
const AS_TWO_LETTERS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };

/** @returns the words of a text that have an umlaut, in lower case */
export function wordsWithUmlaut(text: string): string[] {
  return text.normalize('NFC').toLowerCase().match(WITH_UMLAUT) ?? [];
}

export function writeAsTwoLetters(word: string): string {
  return word.replace(/[äöüøå]/g, (letter) => AS_TWO_LETTERS[letter] ?? letter);
}

/** @param folded a word that is written with an umlaut */
export function umlautKey(folded: string): string {
  return `umlaut:${folded}`;
}

/** @returns the key of items that write the folded word with umlauts, if it has two letters that may be one */
export function promptUmlautKeys(word: string): string[] {
  const withUmlauts = word.replace(/([aou])e|(a)a/g, '$1$2');
  return withUmlauts === word ? [] : [umlautKey(withUmlauts)];
}
