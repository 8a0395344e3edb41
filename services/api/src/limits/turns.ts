/** Whose limit is exceeded: that of the user, or that of all users together. */
export type ExceededLimit = 'user' | 'process';

/** What waits, and until when. */
export type Waiter<User> = {
  user: User;
  /** Those of one user with the same lane start in the order in which they came. Others may start before them. */
  lane: object;
  /** The limit that it would exceed if it started now. */
  exceeded: () => ExceededLimit | undefined;
  start: () => void;
  signal: AbortSignal;
  maxMs: number;
  /** Makes the error of what has waited for `maxMs`. */
  tooLate: () => Error;
};

type Waiting<User> = Waiter<User> & { sinceMs: number; fail: (error: Error) => void };

/**
 * What waits for its turn, in one or several shares: one line for each user. The users take turns, and of one user the one
 * that has waited longest starts, unless the limit of its lane is exceeded.
 */
export class Turns<User> {
  /** The user whose turn is next comes first. */
  readonly #lines = new Map<User, Set<Waiting<User>>>();

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  /** How many of the user wait. */
  of(user: User): number {
    return this.#lines.get(user)?.size ?? 0;
  }

  /** @throws the signal's reason · the error of `tooLate` · that of `fail` */
  async wait(waiter: Waiter<User>): Promise<void> {
    const { user, signal, maxMs } = waiter;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Synchronously, so that what has failed does not start.
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      this.#remove(waiting);
    };
    const start = (): void => {
      end();
      waiter.start();
      resolve();
    };
    const fail = (error: Error): void => {
      end();
      reject(error);
    };
    const leave = (error: Error): void => {
      fail(error);
      // Those behind it may be smaller.
      this.start();
    };
    const abort = (): void => leave(signal.reason as Error);
    const timer = setTimeout(() => leave(waiter.tooLate()), maxMs).unref();
    signal.addEventListener('abort', abort, { once: true });
    const waiting = { ...waiter, start, fail, sinceMs: performance.now() };
    this.#lines.set(user, (this.#lines.get(user) ?? new Set()).add(waiting));
    this.start();
    return promise;
  }

  fail(user: User, lanes: object[], error: Error): void {
    for (const waiting of this.#lines.get(user) ?? []) if (lanes.includes(waiting.lane)) waiting.fail(error);
  }

  longestMs(lanes: object[]): number {
    const since = [...this.#lines.values()].flatMap((line) => [...line].find(({ lane }) => lanes.includes(lane))?.sinceMs ?? []);
    return since.length === 0 ? 0 : performance.now() - Math.min(...since);
  }

  /** Starts what may start: after every release, and when a limit may have risen by itself. */
  start(): void {
    // What waits for a limit of all users must not be overtaken, or smaller holdings would keep a large one out for ever.
    const full = new Set<object>();
    // A user who has had a turn moves to the end of the map, where the loop comes to them again.
    for (const [user, line] of this.#lines) {
      const next = nextOf(line, full);
      if (!next) continue;
      next.start();
      if (this.#lines.delete(user)) this.#lines.set(user, line);
    }
  }

  #remove(waiting: Waiting<User>): void {
    const line = this.#lines.get(waiting.user);
    line?.delete(waiting);
    if (line?.size === 0) this.#lines.delete(waiting.user);
  }
}

/** @param full the lanes in which somebody waits for a limit of all users; further ones are added */
function nextOf<User>(line: Set<Waiting<User>>, full: Set<object>): Waiting<User> | undefined {
  const blocked = new Set(full);
  for (const waiter of line) {
    if (blocked.has(waiter.lane)) continue;
    const exceeded = waiter.exceeded();
    if (!exceeded) return waiter;
    blocked.add(waiter.lane);
    if (exceeded === 'process') full.add(waiter.lane);
  }
  return undefined;
}
