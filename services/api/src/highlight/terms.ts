import { STOP_WORDS } from '@ugc/shared/contracts/content-index';
import { separateAtPunctuation } from '@ugc/shared/search-text/separate-terms';
import { stemmer } from 'stemmer';
import { replaceRareLetters } from './rare-letters.ts';
import { standardTokens, type Token } from './standard-tokens.ts';

/** Where the package `stemmer` differs from Elasticsearch's filter `porter_stem`: words that are suffixes. */
const OTHER_STEMS = new Map([
  ['sses', 'ss'],
  ['ies', 'i'],
  ['eed', 'eed'],
  ['eeds', 'eed'],
]);

/** @returns the terms of a folded text by the analyzer `folded`, which does not stem, with their positions in the text */
export function termsOf(folded: string): Token[] {
  return standardTokens(separateAtPunctuation(folded)).map(({ text, start, end }) => ({ text: toTerm(text), start, end }));
}

// The quotation mark is that of a Hebrew abbreviation, which `separateTerms` removes.
function toTerm(token: string): string {
  return replaceRareLetters(token.replaceAll('"', '').replace(/'s$/, ''));
}

/** @returns what the analyzer `english` makes of a term of `termsOf`; undefined for a stop word, which it omits */
export function stemOf(term: string): string | undefined {
  return STOP_WORDS.includes(term) ? undefined : (OTHER_STEMS.get(term) ?? stemmer(term));
}
