import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { serverAccount } from './account.ts';
import { prepareDataFolder } from './folders.ts';
import { endLeftover } from './pid-file.ts';

/** Kills every server that an earlier run left running below a data folder, and removes the folder. */
export async function removeStack(dataDir: string): Promise<void> {
  await rm(await endServersBelow(dataDir, 'SIGKILL'), { recursive: true, force: true });
}

/**
 * Ends every server below a data folder that this process, or one that has ended, has started.
 * @returns the folder that is used in its place, or itself
 */
export async function endServersBelow(dataDir: string, stopSignal: NodeJS.Signals): Promise<string> {
  const folder = await prepareDataFolder(dataDir, serverAccount(), () => undefined);
  const files = await readdir(folder, { recursive: true });
  const served = files.filter((file) => file.endsWith('server.pid')).map((file) => join(folder, dirname(file)));
  await Promise.all(served.map((serverDir) => endLeftover('A server', serverDir, stopSignal)));
  return folder;
}
