import { chmod, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';

/** A folder for a server of a test's own, within the run's folder: what a killed run leaves there is removed by the next. */
export async function dataFolder(prefix: string): Promise<string> {
  const runFolder = process.env['TEST_DATA_DIR'];
  if (!runFolder) throw new Error("the tests' servers are not started, so that there is no folder for their data");
  const folder = await mkdtemp(join(runFolder, prefix));
  // The servers may run as another account.
  await chmod(folder, 0o755);
  return folder;
}
