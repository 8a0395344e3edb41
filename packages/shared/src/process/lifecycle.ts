import { storeTimeout } from '../timing/timeouts.ts';
import type { Log } from './log.ts';

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

/**
 * Logs an error that nobody has caught, also of a promise, and exits with 1. Node would print it with all its fields,
 * which may contain what users have written.
 */
export function logUncaught(log: Log): void {
  process.on('uncaughtException', (err, origin) => {
    log.fatal({ err, origin }, 'uncaught error; exiting so that the supervisor restarts the process');
    process.exit(1);
  });
}

export type Step = () => Promise<unknown> | void;

export type Running = { shutdown: Step[]; isLive: () => boolean };

/** Work of a process that can be stopped by itself, before its shutdown. */
export type Work = { stop: Step };

const CHECK_LIVENESS_EVERY_MS = 1_000;

/**
 * Runs the shutdown steps on SIGTERM or SIGINT, and exits with code 0, or with 1 after `storeTimeout(deadlineMs)` and
 * `delayMs`, for which the first step waits. A process that is not live also exits with code 1, because not every supervisor
 * checks health.
 */
export function onShutdown(log: Log, deadlineMs: number, { shutdown, isLive }: Running, delayMs = 0): void {
  let stopping = false;
  const stop = (exitCode: number): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => exit(log, 1, 'shutdown deadline exceeded'), delayMs + storeTimeout(deadlineMs)).unref();
    void runSteps(log, shutdown).then(() => exit(log, exitCode, 'stopped'));
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    log.info({ signal }, 'stopping');
    stop(0);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  setInterval(() => {
    if (isLive() || stopping) return;
    log.fatal('no progress; exiting so that the supervisor restarts the process');
    stop(1);
  }, CHECK_LIVENESS_EVERY_MS).unref();
}

export async function runSteps(log: Log, steps: Step[]): Promise<void> {
  for (const step of steps) {
    try {
      await step();
    } catch (err) {
      log.warn({ err }, 'shutdown step failed');
    }
  }
}

function exit(log: Log, code: number, message: string): void {
  log.info({ code }, message);
  process.exit(code);
}
