import type { Shares } from './shares.ts';

const SAMPLE_EVERY_MS = 100;
const BUSY_SHARE = 0.7;
/** Hysteresis: limits must not change with every request. */
const BUSY_FOR_MS = 10_000;

/** Reports whether the utilization of the event loop has recently been high, or all rendering threads were in use. */
export class ProcessLoad {
  readonly #rendering: Shares;
  #previousSample = performance.eventLoopUtilization();
  #busyUntilMs = -Infinity;
  readonly #sampling = setInterval(() => this.#sample(), SAMPLE_EVERY_MS).unref();

  constructor(rendering: Shares) {
    this.#rendering = rendering;
  }

  isBusy(): boolean {
    return performance.now() < this.#busyUntilMs;
  }

  close(): void {
    clearInterval(this.#sampling);
  }

  #sample(): void {
    const sample = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(sample, this.#previousSample);
    this.#previousSample = sample;
    const areThreadsUsed = this.#rendering.used >= this.#rendering.limits.process;
    if (utilization > BUSY_SHARE || areThreadsUsed) this.#busyUntilMs = performance.now() + BUSY_FOR_MS;
  }
}

const RECENT_MS = 1_000;

type RecentUser = { userId: number; atMs: number };

/** Reports whether other users have sent requests recently. Storing the two most recent users is sufficient. */
export class RecentUsers {
  #latest: RecentUser = { userId: NaN, atMs: -Infinity };
  #previous: RecentUser = this.#latest;

  record(userId: number): void {
    if (this.#latest.userId !== userId) this.#previous = this.#latest;
    this.#latest = { userId, atMs: performance.now() };
  }

  hasOthersThan(userId: number): boolean {
    return [this.#latest, this.#previous].some((user) => user.userId !== userId && performance.now() - user.atMs < RECENT_MS);
  }
}
