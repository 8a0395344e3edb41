import { hash } from 'node:crypto';
import { findSameItems, type Interpretation } from '../prompt/interpret-prompt.ts';
import type { VocabularySource } from '../prompt/vocabulary.ts';
import type { Deadline } from '../searched-index/with-searched-index.ts';
import { filterClauses } from './filters.ts';
import type { MatchParameters } from './list-parameters.ts';
import { readPrompt } from './read-prompt.ts';
import type { SearchedPrompt } from './search-query.ts';

type Found<T> = { found: T; interpretation: Interpretation | undefined };

/**
 * Searches for the draft of the prompt while it is confirmed, and once more if it was wrong.
 * @throws errors of `readPrompt` and of `search`
 */
export async function searchWithPrompt<T>(
  source: VocabularySource,
  parameters: MatchParameters,
  deadline: Deadline,
  search: (prompt: SearchedPrompt | undefined) => Promise<T>,
): Promise<Found<T>> {
  const draft = await readPrompt(source, parameters, deadline);
  if (!draft) return { found: await search(undefined), interpretation: undefined };
  const confirming = draft.confirm();
  // Handled below, unless the search fails first.
  confirming.catch(() => undefined);
  const found = await search(draft);
  const interpretation = await confirming;
  if (findSameItems(draft.interpretation, interpretation)) return { found, interpretation };
  deadline.reservation.release();
  return { found: await search({ ...draft, interpretation }), interpretation };
}

/** Scores differ slightly between shard copies, so all pages of a list come from the same copy. */
export function preferenceOf(parameters: MatchParameters): string {
  return hash('sha256', JSON.stringify([parameters.prompt, parameters.match, parameters.correct, filterClauses(parameters)]));
}
