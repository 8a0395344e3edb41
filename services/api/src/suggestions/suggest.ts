import type { VocabularySource } from '../prompt/vocabulary.ts';
import { requireMapping } from '../searched-index/require-mapping.ts';
import { asSearch } from '../searched-index/search-failed.ts';
import { withSearchedIndex } from '../searched-index/with-searched-index.ts';
import type { SearchDeps } from '../search/search-content.ts';
import { findCompletions } from './find-completions.ts';
import { findCorrection } from './find-correction.ts';
import type { Suggestions } from './suggestions.ts';

type SuggestDeps = Pick<SearchDeps, 'elasticsearch' | 'alias' | 'searchedIndex' | 'knownWords'>;

/** The first version of the mapping with words of names and keys of tags. */
const MAPPING_VERSION = 4;

/** @throws SearchFailed, ClientDisconnected · Problem 503 over an index of an older release */
export async function suggest(deps: SuggestDeps, prompt: string, disconnected: AbortSignal): Promise<Suggestions> {
  return withSearchedIndex(deps, { disconnected }, async (index, deadline) => {
    requireMapping(index, MAPPING_VERSION, 'Suggestions');
    return asSearch(suggestFrom({ ...deps, index }, prompt, deadline.signal), deadline, 'the search for suggestions failed');
  });
}

/** If a word is misspelt, nothing contains it, so the vocabulary is only asked if there is no completion. */
async function suggestFrom(source: VocabularySource, prompt: string, signal: AbortSignal): Promise<Suggestions> {
  const completions = await findCompletions(source, prompt, signal);
  const correction = completions.length > 0 ? undefined : await findCorrection(source, prompt, signal);
  if (correction === undefined) return { completions };
  return { completions: await findCompletions(source, correction, signal), correction };
}
