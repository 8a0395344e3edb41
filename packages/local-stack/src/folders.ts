import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, realpath, stat, statfs } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { canEnter, type Account } from './account.ts';
import { StackError } from './stack-error.ts';

const NEEDED_BYTES = 1_000_000_000;

/** The folder for downloads: one per user, and for root one that the servers' account can read. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (process.getuid?.() === 0) return '/var/cache/ugc-service';
  const usual = process.platform === 'darwin' ? join(homedir(), 'Library/Caches') : join(homedir(), '.cache');
  return join(env['XDG_CACHE_HOME'] || usual, 'ugc-service');
}

/** Creates the data folder, in another place if the account that runs the servers cannot enter the wanted one. */
export async function prepareDataFolder(wanted: string, as: Account | undefined, print: (message: string) => void): Promise<string> {
  const folder = await enterable(resolve(wanted), as);
  if (folder !== resolve(wanted)) print(`The data is stored in ${folder}, because the account "nobody" cannot enter ${wanted}.`);
  await makeFolder(folder);
  await requireSpace(folder);
  if (as && !canEnter(as, folder)) await chmod(folder, (await stat(folder)).mode | 0o111);
  return folder;
}

/** Creates a server's folder, owned by the account that runs the server. */
export async function prepareServerFolder(folder: string, as: Account | undefined): Promise<void> {
  await makeFolder(folder);
  if (as) await chown(folder, as.uid, as.gid);
}

export async function requireSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= NEEDED_BYTES) return;
  const free = Math.floor((bavail * bsize) / 1_000_000);
  throw new StackError(`The local servers need about 1 GB of free disk space; the disk of ${folder} has ${free} MB.`);
}

export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw new StackError(`The folder ${folder} cannot be created: ${(error as Error).message}.`);
  }
}

async function enterable(folder: string, as: Account | undefined): Promise<string> {
  if (!as || canEnter(as, await realParent(folder))) return folder;
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  return join('/var/lib/ugc-service', hash);
}

async function realParent(folder: string): Promise<string> {
  const parent = dirname(folder);
  return existsSync(parent) ? realpath(parent) : realParent(parent);
}
