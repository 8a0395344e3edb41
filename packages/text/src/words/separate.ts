import { Remembered } from './remembered.ts';

/** The class of a regular expression that has the scripts of which `separateWords` separates the words. */
export const WITHOUT_BLANKS = String.raw`[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]`;
/** A text of these scripts, as it is written. */
export const RUN_WITHOUT_BLANKS = new RegExp(`${WITHOUT_BLANKS}+`, 'gu');
/** Made when the first text needs it: that takes ten milliseconds. */
let words: Intl.Segmenter | undefined;

/**
 * Separates the words of Thai, Lao, Khmer and Burmese, which are written without blanks, by the dictionaries of ICU.
 * The standard tokenizer of Elasticsearch would make one term of a whole sentence. Chinese and Japanese need no
 * dictionary: each of their characters is a term, and a word is searched as a phrase.
 */
export function separateWords(text: string): string {
  return text.replace(RUN_WITHOUT_BLANKS, (run) => splitWords(run).join(' '));
}

// Text that is not in the dictionary may be split differently without its neighbours, so each part is split again.
function splitWords(run: string): string[] {
  if (knownWords.get(run)) return [run];
  words ??= new Intl.Segmenter('en', { granularity: 'word' });
  const parts = Array.from(words.segment(run), ({ segment }) => segment);
  if (parts.length > 1) return parts.flatMap(splitWords);
  knownWords.add(run, true);
  return [run];
}

/** Parts that are not split again, so that most of them are split once only. */
const knownWords = new Remembered<true>(8 * 2 ** 20, () => 0);

const BETWEEN_LETTERS = new RegExp(`(?<=${WITHOUT_BLANKS}) ?(?=${WITHOUT_BLANKS})`, 'gu');

/** Puts a mark where `separateWords` has a blank, or would have one if the text went on: incomplete words differ. */
export function markSeparations(folded: string, mark: string): string {
  return folded.replace(BETWEEN_LETTERS, mark);
}

// What adapts a folded text to the standard tokenizer. Literals must be extracted before.

/** Replaces punctuation at which the tokenizer does not split words, so that `node` finds `node.js`. All positions stay. */
export function separateAtPunctuation(folded: string): string {
  return folded.replace(JOINING, ' ');
}

/** Removes the quotation mark inside of Hebrew abbreviations. */
export function joinAbbreviations(folded: string): string {
  return folded.replace(GERSHAYIM, '');
}

/** Separates the words of "rock'n'roll", and keeps the positions of all characters. */
export function separateAtAnd(folded: string): string {
  return folded.replace(/(?<=\p{L})'n'(?=\p{L})/gu, ' n ');
}

/** Separates the letters of katakana, so that a word is found inside of a compound. */
export function separateKatakana(folded: string): string {
  return folded.replace(BETWEEN_KATAKANA, ' ');
}

/** What the standard tokenizer counts as katakana. */
export const KATAKANA = String.raw`[\p{sc=Katakana}ー〱-〵゠]`;
/** What the standard tokenizer counts as one: more symbols than Unicode does today, for example ★. */
export const PICTOGRAPH = String.raw`[\p{Extended_Pictographic}\u2388\u2605\u2607-\u2612\u2614-\u2685\u2690-\u2705\u2708-\u2712\u2763-\u2767\u{1f000}-\u{1f0ff}\u{1f260}-\u{1f3fa}\u{1f400}-\u{1f53d}\u{1f546}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f947}-\u{1faff}]`;
const BETWEEN_KATAKANA = new RegExp(String.raw`(?=${KATAKANA})(?<=${KATAKANA}\p{M}*)`, 'gu');
const JOINING = /_|(?<=[\p{L}\p{M}\p{N}])[.:,;·](?=[\p{L}\p{N}])/gu;
const GERSHAYIM = /(?<=\p{sc=Hebrew})"(?=\p{sc=Hebrew})/gu;
