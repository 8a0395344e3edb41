import type { Log } from './log.ts';

export type Step = () => Promise<unknown> | void;

export type Running = { shutdown: Step[]; isLive: () => boolean };

const CHECK_LIVENESS_EVERY_MS = 1_000;

/**
 * On SIGTERM or SIGINT runs the shutdown steps and exits with code 0, or with 1 if they exceed `deadlineMs`. A process
 * that is not live also exits with code 1, because not every supervisor checks health.
 */
export function onShutdown(log: Log, deadlineMs: number, { shutdown, isLive }: Running): void {
  let stopping = false;
  const stop = (exitCode: number): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => exit(log, 1, 'shutdown deadline exceeded'), deadlineMs).unref();
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
