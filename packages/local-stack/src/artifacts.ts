import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { makeFolder, requireSpace } from './folders.ts';
import { withLock } from './lock.ts';
import { unpackWithMaven, type MavenArtifact } from './maven.ts';
import { printMessage, progressBar } from '@ugc/shared/cli/output';

export type Artifact = MavenArtifact & { title: string; megabytes: number };

/** Downloads an artifact once and unpacks it. @returns the folder of that name in the cache */
export function cachedArtifact(artifact: Artifact, name: string, cache: string, finish?: (folder: string) => Promise<void>) {
  return cachedFolder(name, cache, async (folder) => {
    printMessage(`Downloading ${artifact.title} (${artifact.megabytes} MB, once per machine).`);
    await withProgress(artifact, () => unpackWithMaven(artifact, folder));
    await finish?.(folder);
  });
}

/**
 * The folder of that name in the cache. It is filled under a temporary name and then renamed, so it is always complete.
 */
export async function cachedFolder(name: string, cache: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(cache, name);
  if (existsSync(folder)) return folder;
  await makeFolder(cache);
  const lock = join(cache, '.lock');
  if (existsSync(lock)) printMessage(`Waiting for another start, which fills ${cache}.`);
  await withLock(lock, async () => {
    if (!existsSync(folder)) await fillAndRename(cache, folder, fill);
  });
  return folder;
}

async function fillAndRename(cache: string, folder: string, fill: (folder: string) => Promise<void>): Promise<void> {
  await requireSpace(cache);
  await removeUnfinished(cache);
  const unfinished = await mkdtemp(join(cache, '.unfinished-'));
  try {
    await fill(unfinished);
    await makeReadable(unfinished);
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

// Only the holder of the lock fills folders, so that unfinished ones are left over from a crash.
async function removeUnfinished(cache: string): Promise<void> {
  const left = (await readdir(cache)).filter((name) => name.startsWith('.unfinished-'));
  // A download that outlived its start may still write into one; a later start removes it.
  await Promise.all(left.map((name) => rm(join(cache, name), { recursive: true, force: true }).catch(() => undefined)));
}

// The servers may run under another account than the one that created these files.
async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const { mode } = await stat(path);
    await chmod(path, mode | 0o444 | (mode & 0o100 ? 0o111 : 0));
  }
}

async function withProgress({ title, megabytes, coordinates }: Artifact, work: () => Promise<void>): Promise<void> {
  const bar = progressBar(title, 'MB');
  const update = async (): Promise<void> => bar.update(Math.min(await downloadedMegabytes(coordinates), megabytes), megabytes);
  const timer = setInterval(() => void update(), 300);
  try {
    await work();
  } finally {
    clearInterval(timer);
    bar.end();
  }
}

async function downloadedMegabytes(coordinates: string): Promise<number> {
  const [group = '', name = '', version = ''] = coordinates.split(':');
  const folder = join(homedir(), '.m2/repository', group.replaceAll('.', '/'), name, version);
  const files = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    files.map((file) =>
      stat(join(folder, file)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return Math.floor(Math.max(0, ...sizes) / 1_000_000);
}
