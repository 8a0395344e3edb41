import { setTimeout as sleep } from 'node:timers/promises';
import type { Say } from './progress-line.ts';
import type { Server } from './server.ts';

const LOOK_EVERY_MS = 500;
/** Long enough to try out what happens meanwhile. */
const RESTART_AFTER_MS = 5_000;

/** Starts again whatever ends by itself or is killed. */
export function supervise(servers: Server[], say: Say): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const watches = servers.map((server) => watch(server, say, stopping.signal));
  const stop = async (): Promise<void> => {
    stopping.abort();
    await Promise.all(watches);
  };
  return { stop };
}

async function watch(server: Server, say: Say, signal: AbortSignal): Promise<void> {
  while (await pause(LOOK_EVERY_MS, signal)) {
    if (server.pid() !== undefined) continue;
    say(`${server.name} ended. It is started again in ${RESTART_AFTER_MS / 1_000} s.`);
    if (!(await pause(RESTART_AFTER_MS, signal))) return;
    await server.start().then(
      () => say(`${server.name} is back (process ${server.pid()}).`),
      (error: unknown) => say(`${server.name} could not be started: ${(error as Error).message}`),
    );
  }
}

async function pause(durationMs: number, signal: AbortSignal): Promise<boolean> {
  await sleep(durationMs, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}
