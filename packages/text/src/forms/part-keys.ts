import { stemOf } from '../words/terms.ts';
import { replaceRareLetters } from '../words/fold-text.ts';
import { compoundEnds, COMPOUNDING } from './compounds.ts';
import { itemFormKeys } from './word-forms.ts';
import { partsOf } from './word-parts.ts';

// A part of a word is found as another form of it: behind what is typed, and without being a word of the item, so that
// neither the length of a name nor the number of its words changes.

const PART = 'part:';
const WORD = /[\p{L}\p{N}']+/gu;
/** No key is longer; see `form-keys.ts`. */
const MAX_LENGTH = 64;

type Fold = (text: string) => string;

/** @returns the keys of the parts of words of a text: at borders of case and script, and the ends of compounds */
export function partKeys(text: string, languages: readonly string[], fold: Fold): string[] {
  const parts = partsOf(text).flatMap((part) => keysOfPart(fold(part.text), languages));
  const compounding = languages.filter((language) => COMPOUNDING.includes(language));
  const ends = (fold(text).match(WORD) ?? []).flatMap((word) => compoundEnds(word, compounding));
  return [...parts, ...ends.flatMap((end) => keysOfPart(end, compounding))];
}

/** @param part folded */
export function keysOfPart(part: string, languages: readonly string[]): string[] {
  return part.length > MAX_LENGTH ? [] : [...promptPartKeys(part), ...itemFormKeys(part, languages)];
}

/** @returns the keys of the name of a file: the whole, its words and their parts */
export function fileNameKeys(fileName: string, fold: Fold): string[] {
  const words = fold(fileName).match(FILE_WORD) ?? [];
  const parts = [...words, ...partsOf(fileName).map(({ text }) => fold(text))];
  return [wholeKey(fold(fileName)), ...parts.flatMap((part) => keysOfPart(part, []))].filter(
    (key) => key.length <= PART.length + MAX_LENGTH,
  );
}

const FILE_WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** @param text folded, with signs */
export function wholeKey(text: string): string {
  return `${PART}${text}`;
}

/** @param word folded @returns the keys of the items that have the word as a part of another one, or in the name of a file */
export function promptPartKeys(word: string): string[] {
  const stem = stemOf(replaceRareLetters(word));
  return stem === undefined ? [] : [wholeKey(stem)];
}

/** Whether a key is of a part of a word. */
export function isPartKey(key: string): boolean {
  return key.startsWith(PART);
}
