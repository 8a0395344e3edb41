import { Caller } from '../limits/caller.ts';
import { Shares } from '../limits/shares.ts';
import { StoresAnswers } from '../limits/store-answers.ts';
import { Threads } from '../limits/threads.ts';
import type { Searcher } from '../limits/traffic.ts';
import { UnreadResponses } from '../limits/unread-responses.ts';
import { SearchFailed } from './response.ts';
import { inSession, type SearchSource } from './session.ts';

/** Whether a list can be answered. `problem`: what an operator has to do, if waiting for Elasticsearch is not enough. */
export type Searchable = { searchable: boolean; problem?: string };

const ONE_ITEM = { size: 0, terminate_after: 1 };

const UNLIMITED = { user: Infinity, process: Infinity };
const NO_LIMIT = new Shares(UNLIMITED);
const NO_THREADS = new Threads();
const NO_LIMITS = {
  answers: new StoresAnswers(),
  lists: NO_LIMIT,
  searches: new Shares<Searcher>(UNLIMITED),
  deepPages: NO_LIMIT,
  threads: NO_THREADS,
  longThread: NO_THREADS,
  unread: new UnreadResponses(Infinity),
};
/** The process itself: its searches are small, and must not wait for those of users. */
const PROCESS = new Caller(NO_LIMITS, 0, new AbortController().signal);

/** Sends the smallest search in the way of every list. */
export async function checkSearchable(source: SearchSource): Promise<Searchable> {
  try {
    await inSession(source, PROCESS, (session) => session.searchMany([ONE_ITEM]));
    return { searchable: true };
  } catch (error) {
    if (!(error instanceof SearchFailed) || !error.forOperators) return { searchable: false };
    return { searchable: false, problem: error.message };
  }
}
