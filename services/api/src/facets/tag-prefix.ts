import { foldText } from '@ugc/shared/search-text/fold-text';
import { NAME_KEY_MAX_LENGTH } from '@ugc/shared/search-text/name-key';

/** Lucene's syntax has operators, such as `#` and `~`, that are not in JavaScript's. */
const OPERATORS = /[!-\/:-@\[-`\{-~]/g;
/** Words of these scripts are separated by blanks when they are folded, incomplete words perhaps elsewhere. */
const BETWEEN_LETTERS = /(?<=[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]) ?(?=[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])/gu;

/**
 * @returns a regular expression of Lucene, of less than 1,000 characters, that matches the keys by `tagKey` of the tags
 *   that begin with the text; undefined if every tag does
 */
export function tagKeyPattern(prefix: string): string | undefined {
  // A blank at the end tells "pixel art" from "pixels".
  const folded = foldText(prefix).trimStart().replace(/\s+/g, ' ');
  if (folded === '') return undefined;
  // A longer text begins no key. Lucene parses regular expressions recursively, so their length must be bounded.
  const escaped = folded.slice(0, NAME_KEY_MAX_LENGTH + 1).replace(OPERATORS, '\\$&');
  return `${escaped.replace(BETWEEN_LETTERS, ' ?')}.*`;
}
