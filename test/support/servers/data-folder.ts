import { chmod, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Creates a folder for a test's own server below the run's folder. After a run that was killed, the next run removes
 * it.
 */
export async function dataFolder(prefix: string): Promise<string> {
  const runFolder = process.env['TEST_DATA_DIR'];
  if (!runFolder) throw new Error('TEST_DATA_DIR is not set: the test servers are not started');
  const folder = await mkdtemp(join(runFolder, prefix));
  // The servers may run under another account.
  await chmod(folder, 0o755);
  return folder;
}
