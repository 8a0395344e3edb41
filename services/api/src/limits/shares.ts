import { WAIT_MAX_MS } from '../http/server.ts';
import { Turns, type ExceededLimit } from './turns.ts';

export type ShareLimits = {
  user: number;
  process: number;
  /** Holdings of more than `upTo` leave these parts of both limits free, so that small ones do not wait for large ones. */
  small?: { upTo: number; keptOfUser: number; keptOfProcess: number };
};

type ShareOptions<User> = {
  toError?: (exceeded: ExceededLimit) => Error;
  /** The limit of the user while it is lower than `limits.user`. */
  lowered?: (user: User) => number;
  /** What waits longer fails. */
  waitMaxMs?: number;
  /** The line in which holdings wait. Several shares may have the same one. */
  turns?: Turns<User>;
};

/** What one request holds. */
export type Hold = {
  /** @throws the error of the shares if a limit would be exceeded; then nothing changes */
  resize(amount: number): void;
  /**
   * Changes to `amount` when it is the user's turn; to less at once.
   * @throws the signal's reason · the error of the shares if the turn does not come within `maxMs`
   */
  wait(amount: number, signal: AbortSignal, maxMs?: number): Promise<void>;
  /** Ends it: later calls have no effect. The user gets nothing else for `pauseMs`. */
  release(pauseMs?: number): void;
};

type Patience = { signal: AbortSignal; maxMs?: number | undefined };
type Holding<User> = { user: User; amount: number; isReleased: boolean; sinceMs: number };

/**
 * Divides a resource of the process among its users: slots, threads or bytes. A holding beyond a limit fails at once, or
 * waits for its turn.
 */
export class Shares<User = number> {
  readonly limits: ShareLimits;
  readonly #options: ShareOptions<User>;
  readonly #all = new Totals<User>();
  readonly #large = new Totals<User>();
  readonly #turns: Turns<User>;
  readonly #lanes = { small: {}, large: {} };
  /** Begins with the longest. */
  readonly #held = new Set<Holding<User>>();
  readonly #paused = new Set<User>();

  constructor(limits: ShareLimits, options: ShareOptions<User> = {}) {
    this.limits = limits;
    this.#options = options;
    this.#turns = options.turns ?? new Turns();
  }

  get used(): number {
    return this.#all.sum;
  }

  get mostUsed(): number {
    return this.#all.largest;
  }

  usedBy(user: User): number {
    return this.#all.of(user);
  }

  waitingOf(user: User): number {
    return this.#turns.of(user);
  }

  get longestHoldMs(): number {
    const [longest] = this.#held;
    return longest ? performance.now() - longest.sinceMs : 0;
  }

  get longestWaitMs(): number {
    return this.#turns.longestMs(Object.values(this.#lanes));
  }

  /** @returns what holds nothing yet */
  open(user: User): Hold {
    return this.record(user, 0);
  }

  /** @throws the error of the options if a limit would be exceeded */
  take(user: User, amount: number): Hold {
    const hold = this.open(user);
    hold.resize(amount);
    return hold;
  }

  /** Counts what exists already, also above a limit. */
  record(user: User, amount: number): Hold {
    const holding = emptyOf(user);
    this.#set(holding, amount);
    return {
      resize: (resized) => this.#resize(holding, resized),
      wait: (grown, signal, maxMs) => this.#wait(holding, grown, { signal, maxMs }),
      release: (pauseMs = 0) => {
        if (pauseMs > 0) this.#pause(user, pauseMs);
        this.#set(holding, 0);
        holding.isReleased = true;
      },
    };
  }

  #pause(user: User, pauseMs: number): void {
    this.#paused.add(user);
    const end = (): void => {
      this.#paused.delete(user);
      this.startWaiting();
    };
    setTimeout(end, pauseMs).unref();
  }

  async wait(user: User, amount: number, signal: AbortSignal): Promise<Hold> {
    const hold = this.open(user);
    await hold.wait(amount, signal);
    return hold;
  }

  /** Which limit one more holding of `amount` would exceed. */
  exceeded(user: User, amount: number): ExceededLimit | undefined {
    return this.#exceeded(emptyOf(user), amount);
  }

  errorOf(exceeded: ExceededLimit): Error {
    return this.#options.toError?.(exceeded) ?? new Error(`the limit of the ${exceeded} is exceeded`);
  }

  /** Starts what waits and may start. Called also when `lowered` may have changed. */
  startWaiting(): void {
    this.#turns.start();
  }

  failWaiting(user: User, error: Error): void {
    this.#turns.fail(user, Object.values(this.#lanes), error);
  }

  #exceeded({ user, amount: held }: Holding<User>, amount: number): ExceededLimit | undefined {
    const { user: most, process, small } = this.limits;
    const more = amount - held;
    if (this.#paused.has(user)) return 'user';
    if (this.#all.of(user) + more > Math.min(most, this.#options.lowered?.(user) ?? most)) return 'user';
    if (this.#all.sum + more > process) return 'process';
    if (!small || amount <= small.upTo) return undefined;
    const moreLarge = amount - this.#largePart(held);
    if (this.#large.of(user) + moreLarge > most - small.keptOfUser) return 'user';
    return this.#large.sum + moreLarge > process - small.keptOfProcess ? 'process' : undefined;
  }

  #resize(holding: Holding<User>, amount: number): void {
    const exceeded = amount > holding.amount ? this.#exceeded(holding, amount) : undefined;
    if (exceeded) throw this.errorOf(exceeded);
    this.#set(holding, amount);
  }

  #set(holding: Holding<User>, amount: number): void {
    const { user, amount: held, isReleased } = holding;
    if (isReleased) return;
    this.#all.add(user, amount - held);
    this.#large.add(user, this.#largePart(amount) - this.#largePart(held));
    holding.amount = amount;
    if (held === 0 && amount > 0) this.#begin(holding);
    else if (amount === 0) this.#held.delete(holding);
    if (amount < held) this.startWaiting();
  }

  #begin(holding: Holding<User>): void {
    holding.sinceMs = performance.now();
    this.#held.add(holding);
  }

  async #wait(holding: Holding<User>, amount: number, { signal, maxMs = this.#options.waitMaxMs ?? WAIT_MAX_MS }: Patience): Promise<void> {
    signal.throwIfAborted();
    const isGranted = amount <= holding.amount || (this.#turns.isEmpty && !this.#exceeded(holding, amount));
    if (isGranted) return this.#set(holding, amount);
    await this.#turns.wait({
      user: holding.user,
      lane: this.#largePart(amount) > 0 ? this.#lanes.large : this.#lanes.small,
      exceeded: () => this.#exceeded(holding, amount),
      start: () => this.#set(holding, amount),
      signal,
      maxMs,
      tooLate: () => this.errorOf(this.#exceeded(holding, amount) ?? 'process'),
    });
  }

  #largePart(amount: number): number {
    return amount > (this.limits.small?.upTo ?? Infinity) ? amount : 0;
  }
}

function emptyOf<User>(user: User): Holding<User> {
  return { user, amount: 0, isReleased: false, sinceMs: 0 };
}

/** A total per user. Users whose total is zero use no memory. */
class Totals<User> {
  readonly #totals = new Map<User, number>();
  sum = 0;

  add(user: User, amount: number): void {
    const total = this.of(user) + amount;
    this.sum += amount;
    if (total > 0) this.#totals.set(user, total);
    else this.#totals.delete(user);
  }

  of(user: User): number {
    return this.#totals.get(user) ?? 0;
  }

  get largest(): number {
    return Math.max(0, ...this.#totals.values());
  }
}

/** The unit is a byte. `largest`: the largest single holding, which is always possible. */
export function byteLimits(limits: { user: number; process: number }, largest: number, upTo: number): ShareLimits {
  const kept = (limit: number): number => Math.max(0, Math.min(Math.floor(limit / KEPT_FOR_SMALL), limit - largest));
  return { ...limits, small: { upTo, keptOfUser: kept(limits.user), keptOfProcess: kept(limits.process) } };
}

/** An eighth of a limit is left for small holdings. */
const KEPT_FOR_SMALL = 8;
