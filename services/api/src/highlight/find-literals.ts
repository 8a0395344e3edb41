import { literalParts, parseLiteral, splitChunks } from '@ugc/shared/search-text/literals';
import type { Range } from './standard-tokens.ts';

/** Finds those of the literals that `extractLiterals` extracts from the folded text. */
export function findLiterals(folded: string, wanted: ReadonlySet<string>): Range[] {
  return wanted.size === 0 ? [] : locate(splitChunks(folded), folded).flatMap(({ text, start }) => literalsOf(text, start, wanted));
}

function literalsOf(chunk: string, start: number, wanted: ReadonlySet<string>): Range[] {
  const [whole = '', ...parts] = literalParts(chunk);
  return [{ text: whole, start: 0 }, ...locate(parts, chunk)].flatMap((part) => {
    const literal = parseLiteral(part.text)?.text;
    if (literal === undefined || !wanted.has(literal)) return [];
    // A possessive 's may stand between a word and its symbols; then all of it is marked.
    const at = part.text.indexOf(literal);
    const from = start + part.start + Math.max(at, 0);
    return [{ start: from, end: from + (at < 0 ? part.text : literal).length }];
  });
}

/** @param parts parts of the text, in its order, with nothing but separators between them */
function locate(parts: string[], text: string): { text: string; start: number }[] {
  let end = 0;
  return parts.map((part) => {
    const start = text.indexOf(part, end);
    end = start + part.length;
    return { text: part, start };
  });
}
