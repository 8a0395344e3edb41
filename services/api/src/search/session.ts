import { errors, type estypes } from '@elastic/elasticsearch';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { unlessAborted } from '@ugc/shared/timing/timeouts';
import type { Limits } from '../env.ts';
import { Problem } from '@ugc/items/problems/problem';
import type { Caller } from '../limits/caller.ts';
import { startDeadline } from './deadline.ts';
import type { IndexLookup, SearchedIndex } from './index-lookup.ts';
import {
  assertCoversIndex,
  IndexMoved,
  pageTooLarge,
  parseComplete,
  receiveBody,
  reportedError,
  SearchFailed,
  type Found,
  type Query,
  type SearchBody,
  type StreamedResponse,
} from './response.ts';

type Source = { elasticsearch: Elasticsearch; alias: string; limits: Pick<Limits, 'PAGE_MAX_BYTES' | 'LIST_TIMEOUT_MS'> };

export type SearchSource = Source & { searchedIndex: IndexLookup };

export type { Caller, Found, Query, SearchBody };

const MAX_REPETITIONS = 2;
/** How many of the searches in one request Elasticsearch runs at the same time. */
const CONCURRENT_LOOKUPS = 2;
/** The part of LIST_TIMEOUT_MS after which Elasticsearch ends a search, so that its response still arrives. */
const SEARCH_TIMEOUT_PART = 5 / 6;
/** What Elasticsearch does not answer within this part must count as an outage, not as a slow list. */
const REQUEST_TIMEOUT_PART = 14 / 15;
const SEARCHES_MAX_BYTES = 4 * 2 ** 20; // Facets of 32 tags and lookups of 100 words take far less.
/** So long after the deadline of a list, Elasticsearch closes a point in time that could not be closed. */
const KEEP_ALIVE_AFTER_MS = 2_000;

/** `concurrent` is the number of searches that Elasticsearch runs at the same time. */
type ResponseLimits = { concurrent: number; maxBytes: number; refuse: () => Error };

/** What a search covers: the index with its alias, or a point in time of them. */
type Scope = { index: string[] } | { pit: { id: string } };

type Statistics = Pick<estypes.SearchRequest, 'search_type'>;
const COMMON_STATISTICS: Statistics = { search_type: 'dfs_query_then_fetch' };

type Bound = { index: SearchedIndex; signal: AbortSignal; scope?: Scope; statistics?: Statistics };

/**
 * The searches of one request, in the index for which their queries are built. Every response is complete and from that
 * index, or the search fails. All methods end when the client disconnects or the time of the request is over.
 * @throws SearchFailed · IndexMoved, which `inSession` handles · ClientDisconnected
 */
export class Session {
  readonly index: SearchedIndex;
  readonly signal: AbortSignal;
  readonly #source: Source;
  readonly #caller: Caller;
  readonly #indexNames: string[];
  readonly #scope: Scope;
  readonly #statistics: Statistics;

  constructor(source: Source, caller: Caller, bound: Bound) {
    this.#source = source;
    this.#caller = caller;
    this.index = bound.index;
    this.signal = bound.signal;
    this.#indexNames = [source.alias, bound.index.name];
    this.#scope = bound.scope ?? { index: this.#indexNames };
    this.#statistics = bound.statistics ?? {};
  }

  /** @throws Problem 400 above PAGE_MAX_BYTES · 429 if the response does not get its turn to be received */
  async search(request: estypes.SearchRequest): Promise<estypes.SearchResponse> {
    return parseComplete(await this.receive(request), this.index.shards);
  }

  /** @returns the body, which `parseComplete` must parse: a large one in another thread · @throws as `search` */
  async receive(request: estypes.SearchRequest): Promise<Buffer> {
    const { elasticsearch, limits } = this.#source;
    const sent = () => elasticsearch.search({ ...this.#complete, ...this.#scope, ...this.#statistics, ...request }, this.#streamed);
    const refuse = () => pageTooLarge(request.size, limits.PAGE_MAX_BYTES);
    const receiving = this.#read(sent, { concurrent: 1, maxBytes: limits.PAGE_MAX_BYTES, refuse });
    return this.#attempt('the search request to Elasticsearch', receiving);
  }

  /** Sends small searches of the index, as it is now, in one request. @returns their responses, in the same order */
  async searchMany(searches: SearchBody[]): Promise<Found[]> {
    if (searches.length === 0) return [];
    // Two small searches follow one another, so that suggestions for two letters have room in the share of a user.
    const concurrent = Math.min(Math.ceil(searches.length / 2), CONCURRENT_LOOKUPS);
    const lookups = searches.flatMap((search) => [{}, search]);
    const request = { index: this.#indexNames, searches: lookups, max_concurrent_searches: concurrent };
    const sent = () => this.#source.elasticsearch.msearch(request, this.#streamed);
    const refuse = () => new SearchFailed(`the responses to several searches exceed ${SEARCHES_MAX_BYTES} bytes`);
    const receiving = this.#read(sent, { concurrent, maxBytes: SEARCHES_MAX_BYTES, refuse });
    const body = await this.#attempt('a request of several searches', receiving);
    const { responses } = JSON.parse(body.toString()) as { responses: estypes.MsearchResponseItem[] };
    return responses.map((response) => {
      if ('error' in response) throw this.#failedSearch(response);
      assertCoversIndex(response, this.index.shards);
      return response;
    });
  }

  /** Makes the error that the search would have as a request of its own, which is counted and logged like one. */
  #failedSearch({ error, status }: estypes.ErrorResponseBase): SearchFailed {
    const cause = reportedError(this.#source.elasticsearch, { statusCode: status, body: { error } });
    return new SearchFailed('one of several searches failed', { cause, status });
  }

  /**
   * Calls `use` with a session that sees one state of the index, in the same shard copy. It takes a turn of deep pages.
   * @throws Problem 429 at the deadline · errors of `use`
   */
  async atPointInTime<T>(preference: string, use: (session: Session) => Promise<T>): Promise<T> {
    const turn = await this.#caller.takeDeepPage(this.signal);
    return this.inPointInTime(preference, use).finally(() => turn.release());
  }

  /** The same without a turn, for few and small searches. */
  async inPointInTime<T>(preference: string, use: (session: Session) => Promise<T>): Promise<T> {
    const { elasticsearch, limits } = this.#source;
    const keepAlive = `${limits.LIST_TIMEOUT_MS + KEEP_ALIVE_AFTER_MS}ms`;
    // It cannot be cancelled: a point in time whose id did not arrive could not be closed.
    const request = { index: this.#indexNames, preference, keep_alive: keepAlive };
    const opened = this.#caller.ask(() => elasticsearch.openPointInTime(request, { context: this.#caller.repeatable }));
    const { id } = await this.#attempt('opening a point in time', opened);
    return use(this.in(id)).finally(() => void elasticsearch.closePointInTime({ id }).catch(() => undefined));
  }

  /**
   * The same session, in which the score of an item does not depend on its shard: Elasticsearch first adds up how frequent
   * the words are in all shards. It then caches no response.
   */
  withCommonScores(): Session {
    if (this.index.shards === 1) return this;
    const bound = { index: this.index, signal: this.signal, scope: this.#scope, statistics: COMMON_STATISTICS };
    return new Session(this.#source, this.#caller, bound);
  }

  /** The same session in a point in time that others opened, of this index alone. Its searches take no `preference`. */
  in(pointInTime: string): Session {
    const bound = { index: this.index, signal: this.signal, scope: { pit: { id: pointInTime } }, statistics: this.#statistics };
    return new Session(this.#source, this.#caller, bound);
  }

  /** Releases the bytes of the responses so far, which are not used. */
  discard(): void {
    this.#caller.release();
  }

  get #complete() {
    const timeoutMs = Math.floor(this.#source.limits.LIST_TIMEOUT_MS * SEARCH_TIMEOUT_PART);
    return { allow_partial_search_results: false, timeout: `${timeoutMs}ms` };
  }

  get #streamed() {
    return {
      signal: this.signal,
      requestTimeout: requestTimeoutOf(this.#source.limits),
      context: this.#caller.repeatable,
      asStream: true,
      meta: true,
    } as const;
  }

  /** Has memory for the response before it is read. @throws what `refuse` makes, for a response above `maxBytes` */
  async #read(send: () => Promise<StreamedResponse>, { concurrent, maxBytes, refuse }: ResponseLimits): Promise<Buffer> {
    const memory = await this.#caller.reserveResponse(maxBytes, this.signal);
    const response = await this.#caller.whileSearching(concurrent, this.signal, send);
    const body = this.#caller.read(response.body as AsyncIterable<Buffer>);
    const received = await receiveBody(this.#source.elasticsearch, { ...response, body }, async (bytes) => {
      if (bytes > maxBytes) throw refuse();
      await memory.reach(bytes);
    });
    memory.end(received.byteLength);
    return received;
  }

  async #attempt<T>(what: string, request: Promise<T>): Promise<T> {
    return request.catch((cause: unknown) => {
      this.#caller.disconnected.throwIfAborted();
      if (cause instanceof Problem) throw cause;
      // The end of the deadline is a cause too: a request without a complete answer counts as an outage.
      const status = cause instanceof errors.ResponseError ? cause.statusCode : undefined;
      throw new SearchFailed(`${what} failed`, { cause, status });
    });
  }
}

/** @returns the timeout of each request to Elasticsearch that a list makes, in milliseconds */
export function requestTimeoutOf({ LIST_TIMEOUT_MS }: Pick<Limits, 'LIST_TIMEOUT_MS'>): number {
  return Math.floor(LIST_TIMEOUT_MS * REQUEST_TIMEOUT_PART);
}

/**
 * Runs the searches of one request in the index behind the alias, and repeats them if the alias has moved to another
 * index meanwhile.
 *
 * The alias makes a swap atomic for its readers. With the index next to it, a search covers more shards than the index
 * has once the alias has moved, or fails once the index is removed; so every response, even one without hits, tells
 * whether it is from the index that its query was built for.
 * @throws SearchFailed if the index is unknown, or if the alias moves during every repetition · errors of `run`
 */
export async function inSession<T>(source: SearchSource, caller: Caller, run: (session: Session) => Promise<T>): Promise<T> {
  const { signal, end } = startDeadline(caller.disconnected, source.limits.LIST_TIMEOUT_MS);
  try {
    let index = await findIndex(source, caller, signal);
    for (let repetitions = 0; ; repetitions++) {
      try {
        return await run(new Session(source, caller, { index, signal }));
      } catch (error) {
        if (repetitions === MAX_REPETITIONS || !mayHaveMoved(error)) throw error;
        source.searchedIndex.forget(index);
        const now = await findIndex(source, caller, signal);
        if (!(error instanceof IndexMoved) && now.name === index.name) throw error;
        index = now;
        caller.release();
      }
    }
  } finally {
    end();
  }
}

async function findIndex({ searchedIndex }: SearchSource, caller: Caller, signal: AbortSignal): Promise<SearchedIndex> {
  const found = searchedIndex.find((request) => caller.ask(request));
  return unlessAborted(signal, found).catch((cause: unknown) => {
    caller.disconnected.throwIfAborted();
    throw cause instanceof SearchFailed ? cause : new SearchFailed('the searched index is unknown', { cause });
  });
}

/** The index is gone or closed, or its mapping does not support the query. */
function mayHaveMoved(error: unknown): boolean {
  if (!(error instanceof SearchFailed)) return false;
  return error instanceof IndexMoved || error.status === 400 || error.status === 404;
}
