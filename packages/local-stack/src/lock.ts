import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const HEARTBEAT_MS = 1_000;
const ABANDONED_MS = 10_000;

/**
 * Runs the work while no other process runs work under the same lock. The holder updates the lock folder's time every
 * second; a lock that was not updated for 10 s belongs to a process that has ended.
 */
export async function withLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  while (!(await tryLock(folder))) await sleep(250);
  const heartbeat = setInterval(() => void touch(folder), HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    await rm(folder, { recursive: true, force: true });
  }
}

async function tryLock(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (await isAbandoned(folder)) await removeAbandoned(folder);
    return false;
  }
}

/** Another process may have removed it and taken the lock since: what is not abandoned is put back. */
async function removeAbandoned(folder: string): Promise<void> {
  const moved = `${folder}.${randomUUID()}`;
  await rename(folder, moved).catch(() => undefined);
  const isFresh = existsSync(moved) && !(await isAbandoned(moved));
  if (isFresh) await rename(moved, folder).catch(() => undefined);
  else await rm(moved, { recursive: true, force: true });
}

async function isAbandoned(folder: string): Promise<boolean> {
  const touched = await stat(folder).catch(() => undefined);
  return touched !== undefined && Date.now() - touched.mtimeMs > ABANDONED_MS;
}

async function touch(folder: string): Promise<void> {
  await utimes(folder, new Date(), new Date()).catch(() => undefined);
}
