import type { Interpretation } from './prompt/interpret-prompt.ts';
import { askIndex } from './prompt/questions.ts';
import { wordCountQuery } from './query.ts';
import type { Session } from './session.ts';

const KEY = 'closest';

/**
 * Requires as many words as some item has, whatever the filters.
 * @param most the interpretation by `most`
 * @param required the number of words, if it is known
 * @returns `most` if that requires as many @throws as `Session`
 */
export async function requireClosest(
  session: Pick<Session, 'searchMany'>,
  most: Interpretation,
  required?: number,
): Promise<Interpretation> {
  const { words } = most;
  // `most` counts a repeated word as two.
  const least = words.some(({ count }) => count > 1) ? most.required : most.required + 1;
  if (words.length < least) return most;
  const known = required ?? (await countWords(session, most, least));
  return known < least ? most : { ...most, match: 'closest', required: Math.min(known, words.length) };
}

/** @returns how many words the item with most of them has; 0 if it has less than `least` */
async function countWords(session: Pick<Session, 'searchMany'>, most: Interpretation, least: number): Promise<number> {
  // Elasticsearch skips what cannot have more words than the best item so far, and ends at an item with all of them.
  const search = { query: wordCountQuery(most, least), size: 1, track_total_hits: false, _source: false };
  const answers = await askIndex(session, [{ key: KEY, search }]);
  return Math.round(answers.get(KEY)?.hits.hits[0]?._score ?? 0);
}
