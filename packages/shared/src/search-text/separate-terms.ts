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
const BETWEEN_KATAKANA = new RegExp(String.raw`(?<=${KATAKANA}\p{M}*)(?=${KATAKANA})`, 'gu');
const JOINING = /_|(?<=[\p{L}\p{M}\p{N}])[.:,;·](?=[\p{L}\p{N}])/gu;
const GERSHAYIM = /(?<=\p{sc=Hebrew})"(?=\p{sc=Hebrew})/gu;
