import type { Interpretation } from './prompt/interpret-prompt.ts';
import type { Query } from './response.ts';
import { formQuery } from './text-fields.ts';

/**
 * An accent that is typed: an item with it in its description comes before a name without it. The words of a prompt share
 * it, so that those without an accent count too.
 */
export const ACCENT_BOOST = 6;
/** As much more as the largest factor of quality is larger than the smallest. */
export const WEIGHED_ACCENT_BOOST = (16 / 9 - 1) * ACCENT_BOOST;
const MAX_SHARES = 4;

export function accentQueries({ accents, words }: Interpretation, boost: number): Query[] {
  return accents.map((key) => formQuery(key, boost / Math.min(words.length, MAX_SHARES)));
}
