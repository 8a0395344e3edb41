import type { Shares } from './shares.ts';

const SAMPLE_EVERY_MS = 100;
const BUSY_SHARE = 0.7;
/** Hysteresis: limits must not change with every request. */
const BUSY_FOR_MS = 10_000;

/** Whether the utilization of the event loop has recently been high, or all rendering threads were in use. */
export class ProcessLoad {
  #previousSample = performance.eventLoopUtilization();
  #busyUntilMs = -Infinity;
  readonly #sampling: NodeJS.Timeout;

  constructor(rendering: Shares) {
    this.#sampling = setInterval(() => this.#sample(rendering), SAMPLE_EVERY_MS).unref();
  }

  isBusy(): boolean {
    return performance.now() < this.#busyUntilMs;
  }

  close(): void {
    clearInterval(this.#sampling);
  }

  #sample({ used, limits }: Shares): void {
    const sample = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(sample, this.#previousSample);
    this.#previousSample = sample;
    if (utilization > BUSY_SHARE || used >= limits.process) this.#busyUntilMs = performance.now() + BUSY_FOR_MS;
  }
}
