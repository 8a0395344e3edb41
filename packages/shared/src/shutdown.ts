import type { Log } from './log.ts';

export type Step = () => Promise<unknown> | void;

/**
 * On SIGTERM or SIGINT runs the steps in order and exits with 0, or with 1 when they take longer than `deadlineMs`:
 * an orchestrator that gets no exit sends SIGKILL, and what is left undone then is the outbox's to repeat.
 */
export function onShutdown(log: Log, deadlineMs: number, steps: Step[]): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => exit(log, 1, 'stopped before everything was done'), deadlineMs).unref();
    void runSteps(log, steps).then(() => exit(log, 0, 'stopped'));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
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
