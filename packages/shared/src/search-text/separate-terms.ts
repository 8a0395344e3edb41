/**
 * Adapts a folded text to the standard tokenizer: replaces punctuation at which it does not split words, so that `node`
 * finds `node.js`, and removes the quotation mark inside of Hebrew abbreviations. Literals must be extracted before.
 */
export function separateTerms(folded: string): string {
  return folded.replace(JOINING, ' ').replace(GERSHAYIM, '');
}

const JOINING = /_|(?<=[\p{L}\p{M}\p{N}])[.:,;·](?=[\p{L}\p{N}])/gu;
const GERSHAYIM = /(?<=\p{sc=Hebrew})"(?=\p{sc=Hebrew})/gu;
