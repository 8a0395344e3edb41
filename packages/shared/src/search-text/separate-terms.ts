/**
 * Adapts a folded text to the standard tokenizer: replaces punctuation at which it does not split words, so that `node`
 * finds `node.js`, and removes the quotation mark inside of Hebrew abbreviations. Literals must be extracted before.
 */
export function separateTerms(folded: string): string {
  return separateAtPunctuation(folded).replace(GERSHAYIM, '');
}

/** The part of `separateTerms` that keeps the positions of all characters. */
export function separateAtPunctuation(folded: string): string {
  return folded.replace(JOINING, ' ');
}

const JOINING = /_|(?<=[\p{L}\p{M}\p{N}])[.:,;·](?=[\p{L}\p{N}])/gu;
const GERSHAYIM = /(?<=\p{sc=Hebrew})"(?=\p{sc=Hebrew})/gu;
