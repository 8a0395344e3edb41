const SAMPLE_EVERY_MS = 100;
const BUSY_SHARE = 0.7;
/** Hysteresis: limits must not change with every request. */
const BUSY_FOR_MS = 10_000;

/** Reports whether the utilization of the event loop has recently been high. */
export class EventLoopMonitor {
  #previousSample = performance.eventLoopUtilization();
  #busyUntilMs = -Infinity;
  readonly #sampling = setInterval(() => this.#sample(), SAMPLE_EVERY_MS).unref();

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
    if (utilization > BUSY_SHARE) this.#busyUntilMs = performance.now() + BUSY_FOR_MS;
  }
}
