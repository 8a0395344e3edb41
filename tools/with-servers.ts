import { EXIT } from '@ugc/shared/cli/command';
import { endServersBelow } from '@ugc/local-stack/remove-stack';
import { startSharedServers } from '../test/support/servers/test-servers.ts';

/** Starts the servers of the tests for the work, and stops them after it or after a signal. @param keptIn the folder of further servers */
export async function withServers<T>(work: () => Promise<T>, keptIn?: string): Promise<T> {
  endOnSignal(keptIn);
  const stopServers = await startSharedServers();
  try {
    return await work();
  } finally {
    await stopServers();
  }
}

/** Ends the process after a signal, and the servers below the folder and below that of the tests. */
export function endOnSignal(keptIn: string | undefined): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void interrupt(keptIn));
}

/** The servers have process groups of their own, so that Ctrl-C does not reach them. */
async function interrupt(keptIn: string | undefined): Promise<void> {
  const folders = [keptIn, process.env['TEST_DATA_DIR']].filter((folder) => folder !== undefined);
  await Promise.all(folders.map((folder) => endServersBelow(folder, 'SIGINT')));
  process.exit(EXIT.stopped);
}
