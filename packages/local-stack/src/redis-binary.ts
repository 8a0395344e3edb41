import { execFile } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedArtifact } from './artifacts.ts';
import { StackError } from './stack-error.ts';

const VERSION = '7.0.15';
const ARCHITECTURES: Partial<Record<NodeJS.Architecture, string>> = { x64: 'amd64', arm64: 'arm64' };

/** The installed redis-server or valkey-server if it is new enough for BullMQ (6.2), else a downloaded one. */
export async function redisBinary(cache: string): Promise<string> {
  for (const command of ['redis-server', 'valkey-server']) if (await isNewEnough(command)) return command;
  return downloadedBinary(cache);
}

async function isNewEnough(command: string): Promise<boolean> {
  const { stdout } = await promisify(execFile)(command, ['--version']).catch(() => ({ stdout: '' }));
  const [, major, minor] = stdout.match(/\bv=(\d+)\.(\d+)/) ?? [];
  return Number(major) > 6 || (Number(major) === 6 && Number(minor) >= 2);
}

async function downloadedBinary(cache: string): Promise<string> {
  const file = `redis-server-${VERSION}-${platform()}`;
  const artifact = { title: `Redis ${VERSION}`, coordinates: 'org.signal:embedded-redis:0.9.1', includes: file, megabytes: 11 };
  return join(await cachedArtifact(artifact, `redis-${VERSION}`, cache, (folder) => chmod(join(folder, file), 0o755)), file);
}

function platform(): string {
  const architecture = ARCHITECTURES[process.arch];
  if (architecture && ['linux', 'darwin'].includes(process.platform)) return `${process.platform}-${architecture}`;
  throw new StackError(`There is no local Redis for ${process.platform} on ${process.arch}: set REDIS_URL to a server of your own.`);
}
