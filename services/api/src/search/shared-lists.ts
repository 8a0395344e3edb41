import { unlessAborted } from '@ugc/shared/timing/timeouts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Problem } from '@ugc/items/problems/problem';
import type { Searcher } from '../limits/traffic.ts';
import { isOutage } from './response.ts';
import type { ListParameters } from './parameters.ts';

/** How one request reads a list. */
type Request<Response> = {
  /**
   * Reads the list within the limits of this request. @param abandoned aborted when all who wait for it have left
   * @param searcher whose searches they are, if they are shared
   */
  search: (abandoned: AbortSignal, searcher?: Searcher) => Promise<Response>;
  /** Aborted when the client of this request leaves. */
  disconnected: AbortSignal;
};

/** One search, for which several requests wait. */
type Shared<Response> = { response: Promise<Response>; requests: number; abandoned: AbortController };

/**
 * Of equal lists, at most one is being read and one waits for its end. `ended` is the outage with which the one that is
 * being read ends, or undefined.
 */
type Equal<Response> = { ended?: Promise<Error | undefined>; waiting?: Shared<Response> | undefined };

/**
 * Reads equal lists without a prompt together. Many users request the same list at once, such as the newest items, and
 * its search takes most of the processor time. A request joins the list that waits, never the one that is being read, so
 * that it receives what was searchable when it arrived.
 */
export class SharedLists<Response> {
  readonly #lists = new Map<string, Equal<Response>>();

  /** @throws errors of `search` · the reason of `disconnected` */
  async read(parameters: ListParameters, request: Request<Response>): Promise<Response> {
    const { search, disconnected } = request;
    // Few requests repeat a prompt.
    if (parameters.prompt !== '') return search(disconnected);
    const key = JSON.stringify(parameters);
    const equal = this.#lists.get(key) ?? {};
    this.#lists.set(key, equal);
    const joins = equal.waiting !== undefined;
    const shared = (equal.waiting ??= this.#start(key, equal, search));
    shared.requests += 1;
    try {
      return await unlessAborted(disconnected, shared.response);
    } catch (error) {
      if (!joins || disconnected.aborted || !isOwnLimit(error)) throw error;
    } finally {
      shared.requests -= 1;
      if (shared.requests === 0 && shared !== equal.waiting) shared.abandoned.abort(new Error('all clients have left'));
    }
    return this.read(parameters, request);
  }

  /** The list begins when the equal one before it has ended, and after this turn of the event loop. */
  #start(key: string, equal: Equal<Response>, search: Request<Response>['search']): Shared<Response> {
    const begin = async (): Promise<Response> => {
      await nextTurn();
      const outage = await equal.ended;
      equal.waiting = undefined;
      if (outage ?? shared.requests === 0) {
        this.#lists.delete(key);
        // Otherwise it would run into the timeout of the unavailable store too.
        throw outage ?? new Error('all clients have left');
      }
      const response = search(shared.abandoned.signal, Symbol('shared list'));
      equal.ended = response
        .then(
          () => undefined,
          (error: unknown) => (isOutage(error) ? error : undefined),
        )
        .finally(() => void (equal.waiting ?? this.#lists.delete(key)));
      return response;
    };
    const shared: Shared<Response> = { requests: 0, abandoned: new AbortController(), response: begin() };
    return shared;
  }
}

/** A limit of the user whose request the list was read for. */
function isOwnLimit(error: unknown): boolean {
  return error instanceof Problem && error.status === 429;
}
