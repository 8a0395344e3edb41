/** The call was not made, because the calls before it failed. */
export class BreakerOpen extends Error {
  override readonly name = 'BreakerOpen';
}

/** `onChange` learns when the calls of all users stop, and when they go on. */
type BreakerOptions = { failures: number; openMs: number; onChange?: (isOpen: boolean, error?: unknown) => void; now?: () => number };

/** `isFailure`: whether an error counts. `user`: whose call it is. */
type CallOptions = { isFailure?: (error: unknown) => boolean; user?: number | undefined };

/** Calls that failed in succession: of all users, or of one. */
type Failed = { failures: number; openUntilMs: number; isProbing: boolean };
/** How many had failed when a call began. */
type Begun = { user: number | undefined; ofAll: number; ofUser: number };

/** The user whose call failed longest ago is forgotten. */
const USERS_MAX = 1_000;

/**
 * Makes no call for `openMs` after so many failures in succession; then one call at a time, until one succeeds. Those of
 * one user stop only the calls of this user, and only a success of the same user ends this: they count once among those
 * of all users. Calls at the same time count once.
 */
export class Breaker {
  readonly #options: BreakerOptions;
  readonly #now: () => number;
  #all: Failed = { ...NONE };
  /** The users whose failures are among those of all. */
  readonly #counted = new Set<number>();
  readonly #users = new Map<number | undefined, Failed>();

  constructor(options: BreakerOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Whether a call would not be made. */
  isOpen(user?: number): boolean {
    return this.#failedOf(user).some(({ isProbing, openUntilMs }) => isProbing || this.#now() < openUntilMs);
  }

  /** @throws BreakerOpen · errors of `call` */
  async run<T>(call: () => Promise<T>, { isFailure = () => true, user }: CallOptions = {}): Promise<T> {
    if (this.isOpen(user)) throw new BreakerOpen('the calls before it failed');
    const begun = { user, ofAll: this.#all.failures, ofUser: this.#users.get(user)?.failures ?? 0 };
    const probed = this.#failedOf(user);
    for (const failed of probed) failed.isProbing = true;
    try {
      const result = await call();
      this.#succeeded(user);
      return result;
    } catch (error) {
      if (isFailure(error)) this.#failed(error, begun);
      throw error;
    } finally {
      for (const failed of probed) failed.isProbing = false;
    }
  }

  #isOpenForAll(): boolean {
    return this.#all.failures >= this.#options.failures;
  }

  /** Those that stop a call of the user, or let only one through. */
  #failedOf(user: number | undefined): Failed[] {
    return [this.#all, this.#users.get(user) ?? NONE].filter(({ failures }) => failures >= this.#options.failures);
  }

  #succeeded(user: number | undefined): void {
    const wasOpen = this.#isOpenForAll();
    this.#all = { ...NONE };
    this.#counted.clear();
    this.#users.delete(user);
    if (wasOpen) this.#options.onChange?.(false);
  }

  #failed(error: unknown, begun: Begun): void {
    const { user } = begun;
    const wasOpen = this.#isOpenForAll();
    if (user === undefined) this.#count(this.#all, begun.ofAll);
    else this.#countOfUser(user, begun);
    if (!this.#isOpenForAll()) return;
    // An outage is the fault of no user.
    this.#users.clear();
    this.#counted.clear();
    if (!wasOpen) this.#options.onChange?.(true, error);
  }

  #countOfUser(user: number, { ofAll, ofUser }: Begun): void {
    const failed = this.#users.get(user) ?? { ...NONE };
    this.#users.delete(user);
    this.#users.set(user, failed);
    if (this.#users.size > USERS_MAX) this.#users.delete(this.#users.keys().next().value);
    this.#count(failed, ofUser);
    if (!this.#counted.has(user) && this.#count(this.#all, ofAll)) this.#counted.add(user);
  }

  /** @param before how many had failed when the call began · @returns whether this one counts */
  #count(failed: Failed, before: number): boolean {
    if (failed.failures !== before) return false;
    failed.failures += 1;
    if (failed.failures >= this.#options.failures) failed.openUntilMs = this.#now() + this.#options.openMs;
    return true;
  }
}

const NONE: Readonly<Failed> = { failures: 0, openUntilMs: -Infinity, isProbing: false };
