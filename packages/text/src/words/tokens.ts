import { KATAKANA, PICTOGRAPH } from './separate.ts';

/** A part of a text, in UTF-16 code units. */
export type Range = { start: number; end: number };
export type Token = Range & { text: string };

/** Longer words are several tokens. The unit is a UTF-16 code unit. */
export const TOKEN_MAX_LENGTH = 255;

const MARKS = String.raw`\p{M}*`;
const IDEOGRAPH = String.raw`[[\p{sc=Han}\p{sc=Hiragana}]--[々〻]]`;
// Scripts that are written without blanks, such as Thai: their letters and those of other scripts are no common word.
const SOUTH_EAST_ASIAN = String.raw`[[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tai_Le}\p{sc=New_Tai_Lue}\p{sc=Tai_Tham}\p{sc=Tai_Viet}]&&\p{L}]`;
const LETTER = String.raw`[[\p{L}\p{Nd}\p{Nl}\u02c2-\u02df\u02ec-\u02ff\u055b\u055c\u055e\u066b]--〆--${IDEOGRAPH}--${KATAKANA}--${SOUTH_EAST_ASIAN}]`;
const ALPHABETIC = String.raw`[${LETTER}--\p{Nd}]`;
const INNER = [
  String.raw`(?<=${ALPHABETIC}${MARKS})['\u2027](?=${ALPHABETIC})`,
  String.raw`(?<=\p{Nd}${MARKS})['\u060c\u060d\u066c](?=\p{Nd})`,
  String.raw`(?<=\p{sc=Hebrew}${MARKS})'`,
  String.raw`(?<=\p{sc=Hebrew})"(?=\p{sc=Hebrew})`,
].join('|');
const WORD = String.raw`${LETTER}(?:[${LETTER}\p{M}]|${INNER})*`;
export const EMOJI = String.raw`\p{RI}\p{RI}|${PICTOGRAPH}[\u{e0020}-\u{e007f}]*(?:\u200d${PICTOGRAPH})*`;
const RUN = [KATAKANA, SOUTH_EAST_ASIAN].map((letter) => String.raw`${letter}[${letter}\p{M}]*`).join('|');
/** Of the letters that a script without blanks writes next to each other: one, with its marks, or a word of katakana. */
export const RUN_TOKEN = String.raw`${IDEOGRAPH}${MARKS}(?:[々〻]+(?!${LETTER}))?|${KATAKANA}[${KATAKANA}\p{M}]*`;
const TOKEN = new RegExp([`(?:${EMOJI}|${IDEOGRAPH})${MARKS}`, RUN, WORD].join('|'), 'gv');

const ONE_TOKEN = new RegExp(TOKEN, 'v');

/**
 * Splits a text as Elasticsearch's tokenizer `standard` does (UAX #29 of Unicode 12), for prompts and for marks. Exceptions
 * are letters that are newer than Unicode 12, and combining marks and `‿` next to punctuation.
 * @param separated by the `TextRules` of the index
 */
export function tokensOf(separated: string): Token[] {
  const tokens: Token[] = [];
  for (const { 0: text, index } of separated.matchAll(TOKEN)) {
    if (text.length > TOKEN_MAX_LENGTH) tokens.push(...splitLong(text, index));
    else tokens.push({ text, start: index, end: index + text.length });
  }
  return tokens;
}

/** Whether an item can have a term of the text, unlike of "½" and "②". */
export function hasToken(separated: string): boolean {
  return ONE_TOKEN.test(separated);
}

function splitLong(text: string, start: number): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length;) {
    const length = isHighSurrogate(text.charCodeAt(at + TOKEN_MAX_LENGTH - 1)) ? TOKEN_MAX_LENGTH - 1 : TOKEN_MAX_LENGTH;
    const part = text.slice(at, at + length);
    tokens.push({ text: part, start: start + at, end: start + at + part.length });
    at += length;
  }
  return tokens;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
