import { setTimeout as sleep } from 'node:timers/promises';
import { printMessage } from '@ugc/shared/cli/output';
import type { Server } from './server.ts';

const CHECK_EVERY_MS = 500;
/** Long enough to observe the service without the server. */
const RESTART_DELAY_MS = 5_000;

/** Restarts every server that ends without `stop`. */
export function supervise(servers: Server[], print = printMessage): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const watches = servers.map((server) => watch(server, print, stopping.signal));
  const stop = async (): Promise<void> => {
    stopping.abort();
    await Promise.all(watches);
  };
  return { stop };
}

async function watch(server: Server, print: typeof printMessage, signal: AbortSignal): Promise<void> {
  while (await pause(CHECK_EVERY_MS, signal)) {
    if (server.pid() !== undefined) continue;
    print(`${server.name} ended; it restarts in ${RESTART_DELAY_MS / 1_000} s.`);
    if (!(await pause(RESTART_DELAY_MS, signal))) return;
    await server.start().then(
      () => print(`${server.name} runs again (process ${server.pid()}).`),
      (error: unknown) => print(`${server.name} could not be started: ${(error as Error).message}`),
    );
  }
}

async function pause(durationMs: number, signal: AbortSignal): Promise<boolean> {
  await sleep(durationMs, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}
