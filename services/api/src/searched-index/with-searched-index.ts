import { errors } from '@elastic/elasticsearch';
import { unlessAborted } from '@ugc/shared/timing/unless-aborted';
import { asSearch, IndexMoved, SearchFailed } from './search-failed.ts';
import type { SearchClient } from './request-search.ts';
import type { SearchedIndex, SearchedIndexLookup } from './searched-index.ts';

const MAX_REPETITIONS = 2;
/** For all requests of one list. */
const LIST_TIMEOUT_MS = 3_000;

/** The client of a list. The signal ends its requests when the client disconnects or the time is over. */
export type Deadline = WithSignal<SearchClient>;

type WithSignal<Client> = Client & { signal: AbortSignal };
/** A client without a reservation receives small responses only. */
type AnyClient = Pick<SearchClient, 'disconnected'> & Partial<Pick<SearchClient, 'reservation'>>;

/**
 * Runs a list for the index behind the alias, and repeats it if the alias has moved to another index meanwhile.
 * @param run builds its queries for the mapping of the index, and searches `searchedTogether(alias, index)`
 * @throws SearchFailed if the index is unknown, or if the alias moves during every repetition · errors of `run`
 */
export async function withSearchedIndex<Client extends AnyClient, T>(
  { searchedIndex }: { searchedIndex: SearchedIndexLookup },
  client: Client,
  run: (index: SearchedIndex, deadline: WithSignal<Client>) => Promise<T>,
): Promise<T> {
  const { signal, end } = startDeadline(client.disconnected);
  return repeatOnMove(searchedIndex, { ...client, signal }, run).finally(end);
}

/** `AbortSignal.timeout` would leave a timer for each list, which took 8 % of the throughput of lists. */
function startDeadline(disconnected: AbortSignal): { signal: AbortSignal; end: () => void } {
  const controller = new AbortController();
  const disconnect = (): void => controller.abort(disconnected.reason);
  const timer = setTimeout(() => controller.abort(new SearchFailed('the list timed out')), LIST_TIMEOUT_MS);
  disconnected.addEventListener('abort', disconnect);
  if (disconnected.aborted) disconnect();
  const end = (): void => {
    clearTimeout(timer);
    disconnected.removeEventListener('abort', disconnect);
  };
  return { signal: controller.signal, end };
}

async function repeatOnMove<Deadline extends WithSignal<AnyClient>, T>(
  searchedIndex: SearchedIndexLookup,
  deadline: Deadline,
  run: (index: SearchedIndex, deadline: Deadline) => Promise<T>,
): Promise<T> {
  let index = await find(searchedIndex, deadline);
  for (let repetitions = 0; ; repetitions++) {
    try {
      return await run(index, deadline);
    } catch (error) {
      if (repetitions === MAX_REPETITIONS || !mayHaveMoved(error)) throw error;
      searchedIndex.forget(index);
      const now = await find(searchedIndex, deadline);
      if (!(error instanceof IndexMoved) && now.name === index.name) throw error;
      index = now;
      // The responses so far are not used.
      deadline.reservation?.release();
    }
  }
}

/**
 * The alias makes a swap atomic for its readers. With the index next to it, a search covers more shards than the index
 * has once the alias has moved, or fails once the index is removed; so every response, even one without hits, tells
 * whether it is from the index that its query was built for.
 */
export function searchedTogether(alias: string, { name }: SearchedIndex): string[] {
  return [alias, name];
}

async function find(searchedIndex: SearchedIndexLookup, { disconnected, signal }: WithSignal<AnyClient>): Promise<SearchedIndex> {
  return asSearch(unlessAborted(signal, searchedIndex.find()), { disconnected }, 'the searched index is unknown');
}

/** The index is gone or closed, or its mapping does not support the query. */
function mayHaveMoved(error: unknown): boolean {
  if (!(error instanceof SearchFailed)) return false;
  const status = error.cause instanceof errors.ResponseError ? error.cause.statusCode : error.status;
  return error instanceof IndexMoved || status === 400 || status === 404;
}
