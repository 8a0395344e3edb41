import { parseLiteral, splitChunks } from '../words/literals.ts';
import { EMOJI, RUN_TOKEN, tokensOf, type Range } from '../words/tokens.ts';
import type { Word } from '../words/word.ts';

/** Few items contain a longer run as a whole. */
const MAX_WHOLE_TOKENS = 4;

const RUN_TOKENS = new RegExp(RUN_TOKEN, 'gv');
const SEGMENT = new RegExp(`(?<run>(?:${RUN_TOKEN})+)|(?<emoji>${EMOJI})|(?<chunk>(?:(?!${RUN_TOKEN}|${EMOJI})\\S)+)`, 'gv');

/** Splits a folded text. @param separate the separation of terms of the index that is searched */
export function splitWords(text: string, separate: (folded: string) => string): Word[] {
  return [...text.matchAll(SEGMENT)].flatMap(({ groups: { run, emoji, chunk = '' } = {} }): Word[] => {
    if (emoji !== undefined) return [once('run', emoji)];
    return run === undefined ? toWords(chunk, separate) : splitRun(run);
  });
}

/** Where a word of katakana and one of kanji meet: `カメラ写真`, but not `関ヶ原`, `らーめん屋` and `消しゴム`. */
const SCRIPT_BORDER = /(?=\p{sc=Han})(?<=\p{sc=Katakana}[\p{sc=Katakana}ー]+)|(?<=\p{sc=Han})(?=\p{sc=Katakana}[\p{sc=Katakana}ー])/u;

/** @returns what a folded text separates by blanks, signs or its scripts, for the tokenizer: a run of kanji and hiragana is one */
export function typedWords(folded: string, separate: (folded: string) => string): string[] {
  return [...folded.matchAll(SEGMENT)].flatMap(({ 0: text, groups: { chunk } = {} }) =>
    chunk === undefined ? text.split(SCRIPT_BORDER).map(separate) : tokensOf(separate(chunk)).map((token) => token.text),
  );
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
  const toPlainWords = (text: string): Word[] => plainWords(separate(text)).map((word) => once('word', word));
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

/** @returns the words, each of one token, or of several that at most an apostrophe separates: "1990's" has two */
function plainWords(separated: string): string[] {
  const words: Range[] = [];
  for (const { start, end } of tokensOf(separated)) {
    const last = words.at(-1);
    const between = last && separated.slice(last.end, start);
    if (last && (between === '' || between === "'")) last.end = end;
    else words.push({ start, end });
  }
  return words.map(({ start, end }) => separated.slice(start, end));
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

/**
 * Three and more tokens are searched as their pairs, since few items write them together; a particle may be left out. An item
 * with the whole of up to four comes first.
 */
function splitRun(run: string): Word[] {
  const tokens = run.match(RUN_TOKENS) ?? [];
  if (tokens.length <= 2) return [once('run', run)];
  const pairs = tokens.slice(1).map((token, position) => once('run', `${tokens[position]}${token}`));
  return tokens.length > MAX_WHOLE_TOKENS ? pairs : within(run, splitByDictionary(run) ?? pairs);
}

/** @returns the halves of four characters, such as `東京夜景`, or the words beside a particle */
function splitByDictionary(run: string): Word[] | undefined {
  const parts = Array.from(DICTIONARY.segment(run), ({ segment }) => segment);
  // Of three or four tokens.
  const isHalved = parts.every((part) => part.match(RUN_TOKENS)?.length === 2);
  const words = parts.map((text) => once('run', text));
  if (isHalved) return words;
  return parts.length === 3 && PARTICLE.test(parts[1] ?? '') ? words.toSpliced(1, 1) : undefined;
}

function once(kind: Word['kind'], text: string): Word {
  return { text, kind, count: 1 };
}
