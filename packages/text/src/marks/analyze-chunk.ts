import { mayHaveLetters, writtenLetterKeys } from '../forms/accents.ts';
import type { TextRules } from '../rules/text-rules.ts';
import { textBytes } from '../words/remembered.ts';
import { termsOf } from '../words/terms.ts';
import type { Range, Token } from '../words/tokens.ts';
import { foldWithOrigins, remembered, type FoldedText } from './fold-with-origins.ts';

/** A text without blanks. The positions of its terms are those in the original text. */
type AnalyzedChunk = { folded: FoldedText; terms: WrittenTerm[] };

/**
 * `folded`: where it is in the folded text. `keys`: those of the letters with which it is written, if it has some that are
 * also typed as others.
 */
export type WrittenTerm = Token & { folded: Range; keys?: string[] };

/** Texts have many words, but few different ones. */
export const analyzeChunk = remembered(analyze, { length: 32, bytes: 12 * 2 ** 20, bytesOf });

/** Each unit of the folded text has an origin, and each term is an object with a text. */
function bytesOf({ folded: { text }, terms }: AnalyzedChunk): number {
  return (
    textBytes(text) + 16 * text.length + terms.reduce((sum, term) => sum + 96 + textBytes(term.text) * (1 + (term.keys?.length ?? 0)), 0)
  );
}

function analyze(chunk: string, rules: TextRules): AnalyzedChunk {
  const folded = foldWithOrigins(chunk, rules);
  const terms = termsOf(folded.text, rules).map(({ text, ...range }) => ({ text, ...folded.origin(range), folded: range }));
  return { folded, terms: mayHaveLetters(chunk) ? terms.map((term) => withKeys(term, chunk, rules)) : terms };
}

/**
 * Items have no keys of longer words. Many terms have the same origin where it is not known letter by letter: the keys of
 * a long one would be computed for each of them. The unit is a UTF-16 code unit; a letter and its accent are two.
 */
const MAX_ORIGIN_LENGTH = 128;

function withKeys(term: WrittenTerm, chunk: string, { fold }: TextRules): WrittenTerm {
  if (term.end - term.start > MAX_ORIGIN_LENGTH) return term;
  const keys = writtenLetterKeys(chunk.slice(term.start, term.end), fold);
  return keys.length > 0 ? { ...term, keys } : term;
}
