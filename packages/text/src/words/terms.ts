import { STOP_WORDS } from '../languages/languages.ts';
import { replaceRareLetters } from './fold-text.ts';
import { KATAKANA } from './separate.ts';
import { tokensOf, type Token } from './tokens.ts';
import { stemmer } from 'stemmer';

/** Where the package `stemmer` differs from Elasticsearch's filter `porter_stem`: words that are suffixes. */
const OTHER_STEMS = new Map([
  ['sses', 'ss'],
  ['ies', 'i'],
  ['eed', 'eed'],
  ['eeds', 'eed'],
]);

/** The part of `TextRules` that keeps positions. */
type Separation = { separateInPlace: (folded: string) => string };

/**
 * @param rules by which the text is folded
 * @returns the terms of the text by the analyzer `folded`, which does not stem, with their positions in the text
 */
export function termsOf(folded: string, { separateInPlace }: Separation): Token[] {
  const tokens = tokensOf(separateInPlace(folded)).flatMap(katakanaOf);
  return tokens.map(({ text, start, end }) => ({ text: toTerm(text), start, end }));
}

const ONE_KATAKANA = new RegExp(String.raw`${KATAKANA}\p{M}*`, 'gu');
const IS_KATAKANA = new RegExp(`^${KATAKANA}`, 'u');

function katakanaOf(token: Token): Token[] {
  if (!IS_KATAKANA.test(token.text)) return [token];
  return [...token.text.matchAll(ONE_KATAKANA)].map(({ 0: text, index }) => {
    const start = token.start + index;
    return { text, start, end: start + text.length };
  });
}

// The quotation mark is that of a Hebrew abbreviation, which `joinAbbreviations` removes.
function toTerm(token: string): string {
  return replaceRareLetters(token.replaceAll('"', '').replace(/'s$/, ''));
}

/** @returns what the analyzer `english` makes of a term of `termsOf`; undefined for a stop word, which it omits */
export function stemOf(term: string): string | undefined {
  return STOP_WORDS.includes(term) ? undefined : (OTHER_STEMS.get(term) ?? stemmer(term));
}
