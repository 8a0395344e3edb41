import { Caller } from '../limits/caller.ts';
import type { Call, EndpointDeps } from './endpoint.ts';

/** The response header of the endpoints that read a prompt. */
export const SEARCH_CORRECTION = {
  'Search-Correction': {
    description: `The words of the prompt that were corrected, split or joined, encoded like a query string. Absent when nothing was
changed.`,
    example: 'lighthuose=lighthouse',
  },
};

export const SEARCH_RANKING = {
  'Search-Ranking': {
    description: `How the items of the page were ranked: \`semantic\`, by words and by meaning, or \`lexical\`, by words only.
Present if there is a prompt and the first sort key is \`relevance\` or \`best\`, descending.`,
    example: 'lexical',
  },
};

export const SEARCH_TAG = 'Search';

/** Runs a search of the user, and releases the bytes of its responses when it has ended. */
export async function searchFor<T>(
  { traffic }: EndpointDeps,
  { user, granted }: Call<unknown, unknown>,
  search: (caller: Caller) => Promise<T>,
  disconnected = granted.disconnected,
): Promise<T> {
  const caller = new Caller(traffic, user.limitKey, disconnected);
  return search(caller).finally(() => caller.release());
}
