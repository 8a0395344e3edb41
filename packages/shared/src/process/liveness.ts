export type LivenessOptions = {
  /** Longer than any single step of the work may take. */
  stuckAfterMs: number;
  checkEveryMs?: number;
  /** Whether anything could be done now: there is something to do, and the stores that it takes answer. */
  canProgress?: () => Promise<boolean>;
};

/**
 * Whether a restart would help. It would when work that can be done is not done; it would not when there is none, or when a store
 * is away, however long.
 *
 * Looks without proof are counted, not time: a process that was paused, or whose clock was set, is not taken for wedged. A look that
 * gets no answer proves nothing, so a watch that hangs is a wedged process too.
 */
export class Liveness {
  readonly #options: Required<LivenessOptions>;
  #looksWithoutProof = 0;
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

  /** Something was done, whatever came of it. */
  progressed(): void {
    this.#looksWithoutProof = 0;
  }

  async check(): Promise<void> {
    this.#looksWithoutProof += 1;
    if (!(await this.#options.canProgress().catch(() => false))) this.progressed();
  }

  isLive(): boolean {
    return this.#looksWithoutProof * this.#options.checkEveryMs < this.#options.stuckAfterMs;
  }
}
