import type { Repeatable } from '@ugc/shared/elasticsearch/second-attempts';
import type { Hold, Shares } from './shares.ts';
import { Threads, type RunInThread } from './threads.ts';
import { SMALL_RESPONSE_BYTES, type Searcher, type Traffic } from './traffic.ts';

type SearchTraffic = Pick<Traffic, 'answers' | 'lists' | 'searches' | 'deepPages' | 'threads' | 'longThread' | 'unread'>;

/** The memory for a response that arrives. */
type ResponseMemory = {
  /** Waits until there is memory for so many bytes. @throws Problem 429 at the deadline · ClientDisconnected */
  reach(bytes: number): Promise<void>;
  /** Gives back what the complete response does not need. */
  end(bytes: number): void;
};

/**
 * A request that searches, and what it holds of the shares of its user. A `signal` is aborted at the deadline, and when
 * the client leaves.
 */
export class Caller {
  /** Aborted when nobody waits for the response any more. */
  readonly disconnected: AbortSignal;
  readonly user: number;
  readonly #searcher: Searcher;
  readonly #traffic: SearchTraffic;
  readonly #memory: Hold[] = [];

  /** @param searcher whose searches they are, if not the user's: a shared list waits for no other searches of a user */
  constructor(traffic: SearchTraffic, user: number, disconnected: AbortSignal, searcher: Searcher = user) {
    this.#traffic = traffic;
    this.user = user;
    this.disconnected = disconnected;
    this.#searcher = searcher;
  }

  /**
   * @param searches how many searches Elasticsearch runs at the same time
   * @throws Problem 429 at the deadline · ClientDisconnected · errors of `search`
   */
  async whileSearching<T>(searches: number, signal: AbortSignal, search: () => Promise<T>): Promise<T> {
    const slots = await this.#take(this.#traffic.searches, this.#searcher, searches, signal);
    return this.ask(search).finally(() => slots.release());
  }

  /** Any request to Elasticsearch is made with it, so that those who wait know whether it answers. @throws errors of `request` */
  ask<T>(request: () => Promise<T>): Promise<T> {
    return this.#traffic.answers.elasticsearch.to(request);
  }

  /** The parts of a response, each of which Elasticsearch is asked for. */
  async *read<T>(body: AsyncIterable<T>): AsyncGenerator<T> {
    const parts = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        const part = await this.ask(() => parts.next());
        if (part.done) return;
        yield part.value;
      }
    } finally {
      await parts.return?.();
    }
  }

  /** Its searches may be sent once more, unless others wait for their turn. */
  get repeatable(): Repeatable {
    return { isAllowed: () => this.#traffic.searches.longestWaitMs === 0 };
  }

  /** @throws Problem 429 at the deadline · ClientDisconnected */
  async takeDeepPage(signal: AbortSignal): Promise<Hold> {
    return this.#take(this.#traffic.deepPages, this.user, 1, signal);
  }

  /** @returns `Threads.run` in this turn · @throws as `takeDeepPage` */
  async takeThread(signal: AbortSignal, { isLong }: { isLong: boolean }): Promise<RunInThread> {
    const threads = this.#traffic[isLong ? 'longThread' : 'threads'];
    const turn = await this.#take(threads, this.user, 1, signal);
    return (work) => threads.run(turn, work);
  }

  /**
   * Reserves the memory of a small response; a larger one waits for the memory of the largest possible one, so that no two
   * responses wait for each other.
   * @param largest in bytes · @throws as `takeDeepPage`
   */
  async reserveResponse(largest: number, signal: AbortSignal): Promise<ResponseMemory> {
    const { lists } = this.#traffic;
    const memory = await this.#take(lists, this.user, SMALL_RESPONSE_BYTES, signal);
    this.#memory.push(memory);
    let reserved = SMALL_RESPONSE_BYTES;
    const reach = async (bytes: number): Promise<void> => {
      if (bytes <= reserved) return;
      reserved = largest;
      await this.#take(lists, this.user, largest, signal, memory);
    };
    return { reach, end: (bytes) => memory.resize(bytes) };
  }

  /** Reserves a response of about this size before it is made. @throws Problem 429 */
  reserveUnread(bytes: number): void {
    this.#memory.push(this.#traffic.unread.reserve(this.user, bytes));
  }

  /** Releases the memory of the responses so far, which are not used any more. */
  release(): void {
    for (const memory of this.#memory.splice(0)) memory.release();
  }

  /**
   * @throws Problem 429 at the deadline: a turn that has not come is no outage · the reason of the signal if a store has been
   * silent meanwhile: then the others hold what they wait for
   */
  async #take<User>(shares: Shares<User>, user: User, amount: number, signal: AbortSignal, hold = shares.open(user)): Promise<Hold> {
    // Elasticsearch has used up the time before, not the wait for a turn.
    signal.throwIfAborted();
    const beganAtMs = performance.now();
    await hold.wait(amount, signal).catch(async () => {
      this.disconnected.throwIfAborted();
      const isOutage = !(shares instanceof Threads) && (await this.#traffic.answers.wereSilentSince(beganAtMs));
      if (isOutage) signal.throwIfAborted();
      throw shares.errorOf(shares.exceeded(user, amount) ?? 'process');
    });
    return hold;
  }
}
