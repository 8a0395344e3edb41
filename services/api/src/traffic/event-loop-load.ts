const SAMPLE_EVERY_MS = 100;
const BUSY_SHARE = 0.7;
/** Long enough that limits do not go up and down with every request. */
const BUSY_FOR_MS = 10_000;

/** Whether the event loop has had little idle time lately. */
export class EventLoopMonitor {
  #since = performance.eventLoopUtilization();
  #busyUntilMs = -Infinity;
  readonly #sampling = setInterval(() => this.#sample(), SAMPLE_EVERY_MS).unref();

  isBusy(): boolean {
    return performance.now() < this.#busyUntilMs;
  }

  close(): void {
    clearInterval(this.#sampling);
  }

  #sample(): void {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.#since);
    this.#since = now;
    if (utilization > BUSY_SHARE) this.#busyUntilMs = performance.now() + BUSY_FOR_MS;
  }
}
