import { mkdir, rm, stat, utimes } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const BEAT_MS = 1_000;
const ABANDONED_MS = 10_000;

/** Runs the work while no other process does work under the same lock; a holder that died stops touching its lock. */
export async function withLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  while (!(await taken(folder))) await sleep(250);
  const beat = setInterval(() => void touch(folder), BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    await rm(folder, { recursive: true, force: true });
  }
}

async function taken(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (await abandoned(folder)) await rm(folder, { recursive: true, force: true });
    return false;
  }
}

async function abandoned(folder: string): Promise<boolean> {
  const touched = await stat(folder).catch(() => undefined);
  return touched !== undefined && Date.now() - touched.mtimeMs > ABANDONED_MS;
}

async function touch(folder: string): Promise<void> {
  await utimes(folder, new Date(), new Date()).catch(() => undefined);
}
