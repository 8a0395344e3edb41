import { foldName } from '@ugc/shared/search-text/name-key';
import { multiSearch, type IndexSource } from '../searched-index/multi-search.ts';
import { nameSearch, namesOf } from './names.ts';
import { MAX_COMPLETIONS, type Completion } from './suggestions.ts';
import { tagSearch, tagsOf } from './tags.ts';

/** In characters, folded. Nobody types so much of a name, and every term costs time. */
const MAX_LENGTH = 300;

/**
 * Finds tags that begin with the prompt and names that contain it, in one request.
 * @throws as `multiSearch`
 */
export async function findCompletions(source: IndexSource, prompt: string, signal: AbortSignal): Promise<Completion[]> {
  const folded = foldName(prompt);
  if (folded === '' || folded.length > MAX_LENGTH) return [];
  const [tags, names] = await multiSearch(source, [tagSearch(folded), nameSearch(folded)], signal);
  return choose(tagsOf(tags, folded), namesOf(names, folded));
}

/** Half of the completions are tags and half are names, unless there are fewer of one kind. */
function choose(tags: string[], names: string[]): Completion[] {
  const chosenTags = tags.slice(0, Math.max(MAX_COMPLETIONS / 2, MAX_COMPLETIONS - names.length));
  const chosenNames = names.slice(0, MAX_COMPLETIONS - chosenTags.length);
  return [
    ...chosenTags.map((text): Completion => ({ text, type: 'tag' })),
    ...chosenNames.map((text): Completion => ({ text, type: 'name' })),
  ];
}
