import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Leftover } from './end-leftovers.ts';

const END_LEFTOVERS = fileURLToPath(new URL('end-leftovers.ts', import.meta.url));

/** Waits for the end of this process, which closes its standard input, with the memory of a shell. */
const SCRIPT = `trap '' INT TERM HUP; cat > /dev/null; exec "$@"`;

/**
 * Ends the servers when this process is killed, as pnpm does when it is killed itself. The guard has its own process
 * group, so that it is not killed with it. After an orderly end there is nothing to do, and `stop` ends the guard.
 */
export function guard(leftovers: Leftover[]): { stop(): Promise<void> } {
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', END_LEFTOVERS, JSON.stringify(leftovers)];
  const child = spawn('sh', ['-c', SCRIPT, 'sh', ...command], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  // Without a guard the start works as well.
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  const stop = async (): Promise<void> => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    process.kill(-child.pid, 'SIGKILL');
    await ended;
  };
  return { stop };
}
