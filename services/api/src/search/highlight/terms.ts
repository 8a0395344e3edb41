import { STOP_WORDS } from '@ugc/shared/contracts/content-index';
import { replaceRareLetters } from '@ugc/shared/search-text/fold-text';
import { KATAKANA, PICTOGRAPH } from '@ugc/shared/search-text/separate';
import type { TextRules } from '@ugc/shared/search-text/text-rules';
import { stemmer } from 'stemmer';

export type Range = { start: number; end: number };
export type Token = Range & { text: string };

/** Where the package `stemmer` differs from Elasticsearch's filter `porter_stem`: words that are suffixes. */
const OTHER_STEMS = new Map([
  ['sses', 'ss'],
  ['ies', 'i'],
  ['eed', 'eed'],
  ['eeds', 'eed'],
]);

/**
 * @param rules by which the text is folded
 * @returns the terms of the text by the analyzer `folded`, which does not stem, with their positions in the text
 */
export function termsOf(folded: string, { separateInPlace }: TextRules): Token[] {
  const tokens = standardTokens(separateInPlace(folded)).flatMap(katakanaOf);
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

/** The tokenizer splits longer words. */
const MAX_LENGTH = 255;

const MARKS = String.raw`\p{M}*`;
const IDEOGRAPH = String.raw`[[\p{sc=Han}\p{sc=Hiragana}]--[々〻〆]]`;
// Scripts that are written without blanks, such as Thai: their letters and those of other scripts are no common word.
const SOUTH_EAST_ASIAN = String.raw`[[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tai_Le}\p{sc=New_Tai_Lue}\p{sc=Tai_Tham}\p{sc=Tai_Viet}]&&\p{L}]`;
const LETTER = String.raw`[[\p{L}\p{Nd}\p{Nl}_\u02c2-\u02df\u02ec-\u02ff\u055b\u055c\u055e\u066b]--〆--${IDEOGRAPH}--${KATAKANA}--${SOUTH_EAST_ASIAN}]`;
const ALPHABETIC = String.raw`[${LETTER}--\p{Nd}]`;
const INNER = [
  String.raw`(?<=${ALPHABETIC}${MARKS})['\u2027](?=${ALPHABETIC})`,
  String.raw`(?<=\p{Nd}${MARKS})['\u060c\u060d\u066c](?=\p{Nd})`,
  String.raw`(?<=\p{sc=Hebrew}${MARKS})'`,
  String.raw`(?<=\p{sc=Hebrew})"(?=\p{sc=Hebrew})`,
].join('|');
const WORD = String.raw`${LETTER}(?:[${LETTER}\p{M}]|${INNER})*`;
const EMOJI = String.raw`\p{RI}\p{RI}|${PICTOGRAPH}\ufe0f?[\u{e0020}-\u{e007f}]*(?:\u200d${PICTOGRAPH}\ufe0f?)*`;
const RUN = [KATAKANA, SOUTH_EAST_ASIAN].map((letter) => String.raw`${letter}[${letter}\p{M}]*`).join('|');
const TOKEN = new RegExp([`(?:${EMOJI}|${IDEOGRAPH})${MARKS}`, RUN, WORD].join('|'), 'gv');

/**
 * Splits a folded text as Elasticsearch's tokenizer `standard` does (UAX #29 of Unicode 12). Exceptions are letters that
 * are newer than Unicode 12, and combining marks and `‿` next to punctuation. @returns the tokens and their positions
 */
function standardTokens(folded: string): Token[] {
  const tokens: Token[] = [];
  for (const { 0: text, index } of folded.matchAll(TOKEN)) {
    if (text.length > MAX_LENGTH) tokens.push(...splitLong(text, index));
    else tokens.push({ text, start: index, end: index + text.length });
  }
  return tokens;
}

function splitLong(text: string, start: number): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length;) {
    const length = isHighSurrogate(text.charCodeAt(at + MAX_LENGTH - 1)) ? MAX_LENGTH - 1 : MAX_LENGTH;
    const part = text.slice(at, at + length);
    tokens.push({ text: part, start: start + at, end: start + at + part.length });
    at += length;
  }
  return tokens;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
