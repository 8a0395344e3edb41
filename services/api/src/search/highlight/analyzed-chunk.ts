import { foldWithOrigins, type FoldedText } from './fold-with-origins.ts';
import type { Token } from './standard-tokens.ts';
import { termsOf } from './terms.ts';

/** A text without blanks. The positions of its terms are those in the original text. */
export type AnalyzedChunk = { folded: FoldedText; terms: Token[] };

const MAX_REMEMBERED = 10_000;
const MAX_REMEMBERED_LENGTH = 32;
const remembered = new Map<string, AnalyzedChunk>();

/** Remembers short chunks: texts have many words, but few different ones. */
export function analyzeChunk(chunk: string): AnalyzedChunk {
  if (chunk.length > MAX_REMEMBERED_LENGTH) return analyze(chunk);
  const known = remembered.get(chunk);
  if (known) return known;
  if (remembered.size === MAX_REMEMBERED) remembered.clear();
  const analyzed = analyze(chunk);
  remembered.set(chunk, analyzed);
  return analyzed;
}

function analyze(chunk: string): AnalyzedChunk {
  const folded = foldWithOrigins(chunk);
  const terms = termsOf(folded.text).map((term) => {
    const { start, end } = folded.origin(term);
    return { text: term.text, start, end };
  });
  return { folded, terms };
}
