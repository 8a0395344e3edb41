import { createHash } from 'node:crypto';
import { parseLiteral } from './literals.ts';

type Fold = { fold: (text: string) => string };

/** A keyword term may have 32,766 bytes. */
export const NAME_KEY_MAX_LENGTH = 300;

/**
 * The key under which a complete name is found, regardless of accents, letter case and blanks. Long names are hashed.
 */
export function nameKey(name: string, rules: Fold): string {
  return shortened(foldName(name, rules));
}

/** Folds a name or a tag, and replaces its blanks by single spaces. */
export function foldName(name: string, { fold }: Fold): string {
  return fold(name).trim().replace(/\s+/g, ' ');
}

/** No folded name begins with it. */
const LOOSE = '\0';

/**
 * The key under which a name is found without its punctuation and its leading article: that of "Who Stole the Gryphon?"
 * is "who stole the gryphon". Symbols that are meant stay, as in "c++". @returns undefined for a name without words
 */
export function looseNameKey(name: string, rules: Fold): string | undefined {
  const words = foldName(name, rules).replaceAll("'", ' ').split(' ').flatMap(wordsOf);
  const [first = '', ...others] = words;
  const named = others.length > 0 && ARTICLES.has(first) ? others : words;
  return named.length === 0 ? undefined : LOOSE + shortened(named.join(' '));
}

function wordsOf(chunk: string): string[] {
  const literal = parseLiteral(chunk);
  return literal?.strict ? [literal.text] : (chunk.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []);
}

/** English, German, French, Spanish, Italian, Portuguese and Dutch. */
const ARTICLES = new Set('the a an der die das ein eine le la les l un une el los las una il lo gli i o os as de het een'.split(' '));

function shortened(key: string): string {
  return key.length <= NAME_KEY_MAX_LENGTH ? key : createHash('sha256').update(key).digest('hex');
}
