import { setTimeout as delay } from 'node:timers/promises';

const FIRST_HOLD_MS = 250;
const LONGEST_HOLD_MS = 4_000;

/**
 * Keeps workers from hammering an Elasticsearch that refuses everything. Each refusal doubles the wait of all of them, one
 * success ends it. Jobs that wait stay active, so that the relay stops claiming and the outbox is rewritten at this pace at most.
 */
export class Backoff {
  #holdMs = 0;
  #until = 0;

  failed(): void {
    if (performance.now() < this.#until) return;
    this.#holdMs = Math.min(Math.max(this.#holdMs * 2, FIRST_HOLD_MS), LONGEST_HOLD_MS);
    this.#until = performance.now() + this.#holdMs;
  }

  succeeded(): void {
    this.#holdMs = 0;
    this.#until = 0;
  }

  /** Rejects when `signal` is aborted. */
  async wait(signal: AbortSignal): Promise<void> {
    const remainingMs = (): number => this.#until - performance.now();
    for (let ms = remainingMs(); ms > 0; ms = remainingMs()) await delay(Math.min(ms, 100), undefined, { signal });
  }
}
