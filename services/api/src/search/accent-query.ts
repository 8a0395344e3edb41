import { QUALITY_FACTOR } from '@ugc/shared/contracts/content-index';
import type { Interpretation } from './prompt/interpret-prompt.ts';
import type { Query } from './response.ts';
import { formQuery } from './text-fields.ts';
import { WITHOUT_NAMES } from './reasons.ts';

/**
 * An accent that is typed: an item with it in its description comes before a name without it. The words of a prompt share
 * it, so that those without an accent count too.
 */
const ACCENT_BOOST = 6;
/** The quality of an item without the accent may multiply its score by so much more. */
const WEIGHED_ACCENT_BOOST = (QUALITY_FACTOR.max / QUALITY_FACTOR.min) * ACCENT_BOOST;
const MAX_SHARES = 4;

/** @param isWeighed whether scores are multiplied by the quality of the items */
export function accentQueries({ accents, words }: Interpretation, isWeighed: boolean, { name } = WITHOUT_NAMES): Query[] {
  const boost = isWeighed ? WEIGHED_ACCENT_BOOST : ACCENT_BOOST;
  // A prompt of phrases has no words.
  const shares = Math.min(Math.max(words.length, 1), MAX_SHARES);
  return name(
    'accent',
    accents.map((key) => formQuery(key, boost / shares)),
  );
}
