import type { Log } from './log.ts';

export type Step = () => Promise<unknown> | void;

/** Every part of a running service that its process needs to know. */
export type Running = { shutdown: Step[]; isLive: () => boolean };

const LOOK_EVERY_MS = 1_000;

/**
 * On SIGTERM or SIGINT runs the steps in order and exits with 0, or with 1 when they take longer than `deadlineMs`:
 * an orchestrator that gets no exit sends SIGKILL, and what is left undone then is the outbox's to repeat. A process that finds
 * itself wedged does the same and exits with 1, so that whatever started it starts it again: not everything that does looks at health.
 */
export function onShutdown(log: Log, deadlineMs: number, { shutdown, isLive }: Running): void {
  let stopping = false;
  const stop = (exitCode: number): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => exit(log, 1, 'stopped before everything was done'), deadlineMs).unref();
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
    log.fatal('nothing gets done although it could be; stopping, to be started again');
    stop(1);
  }, LOOK_EVERY_MS).unref();
}

/** A step that fails does not keep the others from running. */
export async function runSteps(log: Log, steps: Step[]): Promise<void> {
  for (const step of steps) {
    try {
      await step();
    } catch (err) {
      log.warn({ err }, 'a step of the shutdown failed');
    }
  }
}

function exit(log: Log, code: number, message: string): void {
  log.info({ code }, message);
  process.exit(code);
}
