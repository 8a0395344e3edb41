import { parseLiteral, splitChunks } from '@ugc/shared/search-text/literals';

/**
 * A part of the prompt that an item has or lacks, in folded form:
 * - `word`: one term
 * - `literal`: text with symbols, such as `c++` or `r2-d2`; see `parseLiteral`
 * - `run`: an emoji, or text of a script without spaces, of which each character is a term
 */
export type Word = {
  text: string;
  kind: 'word' | 'literal' | 'run';
};

/** A longer run is searched as its pairs of characters, because few items contain a complete sentence. */
const MAX_RUN_TERMS = 4;

const RUN_TERM = String.raw`[\p{Ideographic}\p{Script=Hiragana}]|[\p{Script=Katakana}ー]+`;
const EMOJI = String.raw`\p{RI}\p{RI}|\p{Extended_Pictographic}\u{fe0f}?[\u{e0020}-\u{e007f}]*(?:\u{200d}\p{Extended_Pictographic}\u{fe0f}?)*`;
const LETTER = String.raw`[[\p{L}\p{M}\p{Nd}\p{Nl}_]--[\p{Ideographic}\p{Script=Hiragana}\p{Script=Katakana}ー]]`;
const RUN_TERMS = new RegExp(RUN_TERM, 'gv');
const WORD = new RegExp(`${LETTER}+(?:'${LETTER}+)*`, 'gv');
/** A term of the index. */
export const TERM = new RegExp(`${RUN_TERM}|${EMOJI}|${WORD.source}`, 'gv');
const SEGMENT = new RegExp(`(?<run>(?:${RUN_TERM})+)|(?<emoji>${EMOJI})|(?<chunk>(?:(?!${RUN_TERM}|${EMOJI})\\S)+)`, 'gv');

/** Splits a folded text. @param separate the separation of terms of the index that is searched */
export function splitWords(text: string, separate: (folded: string) => string): Word[] {
  return [...text.matchAll(SEGMENT)].flatMap(({ groups: { run, emoji, chunk = '' } = {} }): Word[] => {
    if (emoji !== undefined) return [{ text: emoji, kind: 'run' }];
    return run === undefined ? toWords(chunk, separate) : splitRun(run);
  });
}

function toWords(chunk: string, separate: (folded: string) => string): Word[] {
  const literals = splitChunks(chunk).flatMap((part) => parseLiteral(part)?.text ?? []);
  const rest = literals.reduce((text, literal) => text.replace(literal, ' '), chunk);
  const words = separate(rest).match(WORD) ?? [];
  return [...literals.map((text) => ({ text, kind: 'literal' as const })), ...words.map((text) => ({ text, kind: 'word' as const }))];
}

function splitRun(run: string): Word[] {
  const terms = run.match(RUN_TERMS) ?? [];
  const texts = terms.length <= MAX_RUN_TERMS ? [run] : terms.slice(1).map((term, position) => `${terms[position]}${term}`);
  return texts.map((text) => ({ text, kind: 'run' }));
}
