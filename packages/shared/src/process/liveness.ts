type LivenessOptions = {
  /** Must be longer than any single step of the work. */
  stuckAfterMs: number;
  checkEveryMs?: number;
  /** Whether progress is possible: work is pending and the stores that it needs are available. */
  canProgress?: () => Promise<boolean>;
};

/**
 * Reports whether work is possible, but none has been done for `stuckAfterMs`. Counts checks instead of time, so that a
 * suspended process or a clock change does not make it stuck. A check that hangs counts as one without progress.
 */
export class Liveness {
  readonly #options: Required<LivenessOptions>;
  #checksWithoutProgress = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LivenessOptions) {
    this.#options = { checkEveryMs: 5_000, canProgress: () => Promise.resolve(true), ...options };
  }

  start(): void {
    this.#timer = setInterval(() => void this.check(), this.#options.checkEveryMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  progressed(): void {
    this.#checksWithoutProgress = 0;
  }

  async check(): Promise<void> {
    this.#checksWithoutProgress += 1;
    if (!(await this.#options.canProgress().catch(() => false))) this.progressed();
  }

  isLive(): boolean {
    return this.#checksWithoutProgress * this.#options.checkEveryMs < this.#options.stuckAfterMs;
  }
}
