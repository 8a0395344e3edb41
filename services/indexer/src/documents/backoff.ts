import { setTimeout as delay } from 'node:timers/promises';

const MIN_DELAY_MS = 250;
const MAX_DELAY_MS = 4_000;
const CHECK_EVERY_MS = 100;

/** Shared by all jobs of a process. Jobs that wait stay active, so the relay stops claiming. */
export class Backoff {
  #delayMs = 0;
  #until = 0;

  failed(): void {
    if (performance.now() < this.#until) return;
    this.#delayMs = Math.min(Math.max(this.#delayMs * 2, MIN_DELAY_MS), MAX_DELAY_MS);
    this.#until = performance.now() + this.#delayMs;
  }

  succeeded(): void {
    this.#delayMs = 0;
    this.#until = 0;
  }

  /** Waits in short steps because a success ends the delay early. @throws AbortError */
  async wait(signal: AbortSignal): Promise<void> {
    const remainingMs = (): number => this.#until - performance.now();
    for (let ms = remainingMs(); ms > 0; ms = remainingMs()) await delay(Math.min(ms, CHECK_EVERY_MS), undefined, { signal });
  }
}
