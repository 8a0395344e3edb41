import type { Backlog } from '@ugc/shared/outbox/backlog';
import { repeat, type Repetition } from '@ugc/shared/timing/repeat';
import type { BacklogSample } from '@ugc/shared/contracts/operations-status';

type HistoryOptions = { intervalMs?: number; keptMs?: number };

const INTERVAL_MS = 15_000;
const KEPT_MS = 3_600_000;
/** Counting a million changes takes 0.7 s; so the samples take at most a hundredth of the time of a connection. */
const INTERVAL_PER_DURATION = 100;

/** Samples of the backlog of the last hour, in memory: at most `keptMs / intervalMs + 1`. */
export class BacklogHistory {
  readonly #read: () => Promise<Backlog>;
  readonly #intervalMs: number;
  readonly #keptMs: number;
  #samples: BacklogSample[] = [];
  #repetition: Repetition | undefined;

  constructor(read: () => Promise<Backlog>, { intervalMs = INTERVAL_MS, keptMs = KEPT_MS }: HistoryOptions = {}) {
    this.#read = read;
    this.#intervalMs = intervalMs;
    this.#keptMs = keptMs;
  }

  get samples(): readonly BacklogSample[] {
    return this.#samples;
  }

  start(): void {
    // A sample never fails.
    this.#repetition = repeat(() => this.#pass(), { everyMs: this.#intervalMs, onError: () => undefined });
  }

  async stop(): Promise<void> {
    await this.#repetition?.stop();
  }

  async #pass(): Promise<number> {
    const startedAt = performance.now();
    const sample = await this.#sample();
    this.#add(sample);
    const restMs = sample.pending === null ? 0 : INTERVAL_PER_DURATION * (performance.now() - startedAt);
    return Math.max(this.#intervalMs, restMs);
  }

  async #sample(): Promise<BacklogSample> {
    const time = new Date().toISOString();
    try {
      const { pending, oldestPendingSeconds } = await this.#read();
      return { time, pending, oldestPendingSeconds };
    } catch {
      return { time, pending: null, oldestPendingSeconds: null };
    }
  }

  // The number is limited as well, because the clock may be set back.
  #add(sample: BacklogSample): void {
    const oldest = Date.parse(sample.time) - this.#keptMs;
    const kept = this.#samples.filter(({ time }) => Date.parse(time) >= oldest);
    this.#samples = [...kept, sample].slice(-(Math.floor(this.#keptMs / this.#intervalMs) + 1));
  }
}
