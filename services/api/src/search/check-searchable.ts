import { SearchFailed } from './response.ts';
import { inSession, type Caller, type SearchSource } from './session.ts';

/** Whether a list can be answered. `problem`: what an operator has to do, if waiting for Elasticsearch is not enough. */
export type Searchable = { searchable: boolean; problem?: string };

const ONE_ITEM = { size: 0, terminate_after: 1 };

const ignore = (): void => undefined;
/** The process itself: its searches are small, and nobody waits for them. */
const PROCESS: Caller = {
  reservation: { add: ignore, release: ignore },
  startDeepPage: () => ignore,
  disconnected: new AbortController().signal,
};

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
