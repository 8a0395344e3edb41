/** The call was not made, because the calls before it failed. */
export class BreakerOpen extends Error {
  override readonly name = 'BreakerOpen';
}

type BreakerOptions = { failures: number; openMs: number; onChange?: (isOpen: boolean, error?: unknown) => void; now?: () => number };

/** Makes no call for `openMs` after so many failures in succession; then one call at a time, until one succeeds. */
export class Breaker {
  readonly #options: BreakerOptions;
  readonly #now: () => number;
  #failures = 0;
  #openUntilMs = -Infinity;
  #isProbing = false;

  constructor(options: BreakerOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Whether a call would not be made. */
  get isOpen(): boolean {
    return this.#hasFailed && (this.#isProbing || this.#now() < this.#openUntilMs);
  }

  /** @param isFailure whether an error counts · @throws BreakerOpen · errors of `call` */
  async run<T>(call: () => Promise<T>, isFailure: (error: unknown) => boolean = () => true): Promise<T> {
    if (this.isOpen) throw new BreakerOpen('the calls before it failed');
    const isProbe = this.#hasFailed;
    this.#isProbing = isProbe;
    try {
      const result = await call();
      this.#succeeded();
      return result;
    } catch (error) {
      if (isFailure(error)) this.#failed(error);
      throw error;
    } finally {
      if (isProbe) this.#isProbing = false;
    }
  }

  get #hasFailed(): boolean {
    return this.#failures >= this.#options.failures;
  }

  #succeeded(): void {
    if (this.#hasFailed) this.#options.onChange?.(false);
    this.#failures = 0;
  }

  #failed(error: unknown): void {
    const wasOpen = this.#hasFailed;
    this.#failures += 1;
    if (!this.#hasFailed) return;
    this.#openUntilMs = this.#now() + this.#options.openMs;
    if (!wasOpen) this.#options.onChange?.(true, error);
  }
}
