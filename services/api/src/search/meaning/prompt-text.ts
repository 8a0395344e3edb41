import { correctionsOf } from '../prompt/alternatives.ts';
import type { Interpretation } from '../prompt/interpret-prompt.ts';

const EXCLUDED = /(?<=^|\s)-(?:"[^"]*"|\S*)/gu;
const QUOTES = /["“”„‟«»]/gu;
/** A word without the punctuation around it. */
const WORD = /[\p{L}\p{N}](?:\S*[\p{L}\p{N}])?/gu;
/** The unit is a UTF-16 code unit. A longer prompt would take the service long, and its first words say what is meant. */
const MAX_LENGTH = 500;

/**
 * The prompt as it is embedded: with its corrections, and without what it excludes. Otherwise it stays as it is written,
 * because models distinguish more than the index does.
 * @returns an empty text if the prompt has only exclusions
 */
export function promptText({ text, alternatives, rules }: Interpretation): string {
  const corrections = correctionsOf(alternatives, { rare: true });
  const included = text.replaceAll(EXCLUDED, ' ').replaceAll(QUOTES, ' ');
  const corrected = included.replaceAll(WORD, (word) => corrections.get(rules.fold(word)) ?? word);
  return corrected.replaceAll(/\s+/gu, ' ').trim().slice(0, MAX_LENGTH).toWellFormed();
}
