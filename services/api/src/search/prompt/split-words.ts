import { parseLiteral, splitChunks } from '@ugc/shared/search-text/literals';
import { PICTOGRAPH } from '@ugc/shared/search-text/separate';
import type { Word } from './parse-prompt.ts';

/** A longer run is searched as its pairs of characters, because few items contain a complete sentence. */
const MAX_RUN_TERMS = 4;

const RUN_TERM = String.raw`[\p{Ideographic}\p{Script=Hiragana}]|[\p{Script=Katakana}ー]+`;
const EMOJI = String.raw`\p{RI}\p{RI}|${PICTOGRAPH}\u{fe0f}?[\u{e0020}-\u{e007f}]*(?:\u{200d}${PICTOGRAPH}\u{fe0f}?)*`;
const LETTER = String.raw`[[\p{L}\p{M}\p{Nd}\p{Nl}_]--[\p{Ideographic}\p{Script=Hiragana}\p{Script=Katakana}ー]]`;
const RUN_TERMS = new RegExp(RUN_TERM, 'gv');
const WORD = new RegExp(`${LETTER}+(?:'${LETTER}+)*`, 'gv');
export const TERM = new RegExp(`${RUN_TERM}|${EMOJI}|${WORD.source}`, 'gv');
const SEGMENT = new RegExp(`(?<run>(?:${RUN_TERM})+)|(?<emoji>${EMOJI})|(?<chunk>(?:(?!${RUN_TERM}|${EMOJI})\\S)+)`, 'gv');

const SYMBOLS = /[^\p{L}\p{M}\p{N}']+/gu;

/** @returns the terms of a word without its symbols: "node js" of "node.js" */
export function plainTerms(word: string, separate: (folded: string) => string): string {
  return separate(word).replaceAll(SYMBOLS, ' ').trim();
}

/** Splits a folded text. @param separate the separation of terms of the index that is searched */
export function splitWords(text: string, separate: (folded: string) => string): Word[] {
  return [...text.matchAll(SEGMENT)].flatMap(({ groups: { run, emoji, chunk = '' } = {} }): Word[] => {
    if (emoji !== undefined) return [once('run', emoji)];
    return run === undefined ? toWords(chunk, separate) : splitRun(run);
  });
}

/** @returns the words of a folded text whose symbols are meant, such as `c++` */
export function strictLiterals(folded: string): { text: string; isLast: boolean }[] {
  const chunks = splitChunks(folded);
  return chunks.flatMap((chunk, position) => {
    const literal = parseLiteral(chunk);
    return literal?.strict ? [{ text: literal.text, isLast: position === chunks.length - 1 }] : [];
  });
}

/** Words of at least two characters that a sign joins; `at&t`, `node.js` and `r2-d2` are one. */
const JOINED_WORDS = /^\p{L}[\p{L}\p{M}\p{N}'\-]+(?:[^\p{L}\p{M}\p{N}'\-.@]\p{L}[\p{L}\p{M}\p{N}'\-]+)+$/u;
const JOINING_SIGN = /[^\p{L}\p{M}\p{N}'\-]/u;

/** The words have the order of the text. */
function toWords(chunk: string, separate: (folded: string) => string): Word[] {
  const toPlainWords = (text: string): Word[] => (separate(text).match(WORD) ?? []).map((word) => once('word', word));
  const words: Word[] = [];
  let rest = chunk;
  for (const part of splitChunks(chunk)) {
    const literal = parseLiteral(part)?.text;
    if (literal === undefined) continue;
    const start = rest.indexOf(part);
    words.push(...toPlainWords(rest.slice(0, start)), ...splitLiteral(literal, separate));
    rest = rest.slice(start + part.length);
  }
  return [...words, ...toPlainWords(rest)];
}

function splitLiteral(literal: string, separate: (folded: string) => string): Word[] {
  if (!JOINED_WORDS.test(literal)) return [once('literal', literal)];
  return within(literal, literal.split(JOINING_SIGN).flatMap((part) => toWords(part, separate))); // prettier-ignore
}

/** They count, are corrected and left out as the words that they are. */
function within(whole: string, words: Word[]): Word[] {
  return words.map((word) => ({ ...word, within: whole }));
}

const DICTIONARY = new Intl.Segmenter('ja', { granularity: 'word' });

/** Joins two words, as "no" in "cat no photo". */
const PARTICLE = /^[のとやをにでがはへも]$/;

/** Two of four characters, such as `東京夜景`, are often a word. A particle may be left out. */
function splitRun(run: string): Word[] {
  const terms = run.match(RUN_TERMS) ?? [];
  const parts = terms.length <= MAX_RUN_TERMS ? Array.from(DICTIONARY.segment(run), ({ segment }) => segment) : [];
  const isPair = parts.length === 2 && parts.every((part) => part.match(RUN_TERMS)?.length === 2);
  if (isPair || (parts.length === 3 && PARTICLE.test(parts[1] ?? '')))
    return within(run, parts.filter((_, at) => isPair || at !== 1).map((text) => once('run', text))); // prettier-ignore
  const texts = terms.length <= MAX_RUN_TERMS ? [run] : terms.slice(1).map((term, position) => `${terms[position]}${term}`);
  return texts.map((text) => once('run', text));
}

function once(kind: Word['kind'], text: string): Word {
  return { text, kind, count: 1 };
}
