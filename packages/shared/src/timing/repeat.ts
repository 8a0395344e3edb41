/**
 * `woken`: whether a wake-up has ended the last wait.
 * @returns the milliseconds until the next pass, if they differ from `everyMs`; 0 for the next one at once
 */
type Pass = (woken: boolean) => Promise<number | void>;

type RepeatOptions = {
  /** Begins after the end of a pass. */
  everyMs: number;
  /** The next pass begins after `everyMs`. Errors after the stop are not reported: the stop may be their cause. */
  onError: (error: unknown) => void;
  /** `stop` aborts it, for passes that have to end early. */
  stopping?: AbortController;
};

/** `wake` ends the wait for the next pass; during a pass it begins another one. `stop` waits for the end of the present pass. */
export type Repetition = { wake(): void; stop(): Promise<void> };

/** Repeats a pass until it is stopped, one at a time. */
export function repeat(pass: Pass, { everyMs, onError, stopping = new AbortController() }: RepeatOptions): Repetition {
  const { signal } = stopping;
  const wait = new Wait();
  const run = async (): Promise<void> => {
    for (let woken = false; !signal.aborted;) {
      const waitMs = await pass(woken).catch((error: unknown) => {
        if (!signal.aborted) onError(error);
      });
      if (waitMs !== 0) woken = await wait.for(waitMs ?? everyMs);
    }
  };
  const ended = run();
  const stop = (): Promise<void> => {
    stopping.abort();
    wait.end();
    return ended;
  };
  return { wake: () => wait.end(), stop };
}

/** A wait that `end` ends early. If nothing is waiting, it ends the next wait immediately. */
class Wait {
  #isEnded = false;
  #resolve = (): void => undefined;

  end(): void {
    this.#isEnded = true;
    this.#resolve();
  }

  /** @returns whether `end` has ended it */
  async for(ms: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#resolve = resolve;
    if (!this.#isEnded) await promise;
    clearTimeout(timer);
    const wasEnded = this.#isEnded;
    this.#isEnded = false;
    return wasEnded;
  }
}
