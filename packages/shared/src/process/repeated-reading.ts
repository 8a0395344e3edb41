import { throttle } from '../timing/intervals.ts';
import { repeat, type Repetition } from '../timing/repeat.ts';

/** What is stored takes effect in every process within 5 s. */
const READ_EVERY_MS = 2_000;
const WARN_EVERY_MS = 60_000;

/** What this process reads from PostgreSQL again all the time. If it cannot be read, what was read before stays. */
export class RepeatedReading<Value> {
  readonly #read: () => Promise<Value>;
  readonly #warn: (err: unknown) => void;
  #known: Value | undefined;
  #failure: unknown;
  /** Undefined before the start. */
  #first: Promise<void> | undefined;
  #endFirst = (): void => undefined;
  #repetition: Repetition | undefined;

  /** @param warn is called at most once a minute while it cannot be read */
  constructor({ read, warn }: { read: () => Promise<Value>; warn: (err: unknown) => void }) {
    this.#read = read;
    this.#warn = throttle(WARN_EVERY_MS, warn);
  }

  start(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#first = promise;
    this.#endFirst = resolve;
    // `resolve` follows `onError`, so that who has waited for the first reading finds its failure.
    const onError = (err: unknown): void => {
      this.#failure = err;
      this.#warn(err);
      resolve();
    };
    const readAgain = async (): Promise<void> => {
      this.#known = await this.#read();
      resolve();
    };
    this.#repetition = repeat(readAgain, { everyMs: READ_EVERY_MS, onError });
  }

  async stop(): Promise<void> {
    await this.#repetition?.stop();
    // A reading that fails after the stop is not reported.
    this.#endFirst();
  }

  /** Waits for the first reading. @returns what was read last; undefined before the start, and until a reading succeeds */
  async find(): Promise<Value | undefined> {
    await this.#first;
    return this.#known;
  }

  /** The same without waiting. */
  get known(): Value | undefined {
    return this.#known;
  }

  /** The error of the last reading that failed; undefined if none did. */
  get failure(): unknown {
    return this.#failure;
  }
}
