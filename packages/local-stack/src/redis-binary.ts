import { execFile } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedArtifact, type Place } from './artifacts.ts';
import { StackError } from './stack-error.ts';

const VERSION = '7.0.15';
const ARCHITECTURES: Partial<Record<NodeJS.Architecture, string>> = { x64: 'amd64', arm64: 'arm64' };

/** The machine's own redis-server or valkey-server where that is new enough for BullMQ, else a fetched one. */
export async function redisBinary(place: Place): Promise<string> {
  for (const command of ['redis-server', 'valkey-server']) if (await isNewEnough(command)) return command;
  return fetchedBinary(place);
}

async function isNewEnough(command: string): Promise<boolean> {
  const answer = await promisify(execFile)(command, ['--version']).catch(() => ({ stdout: '' }));
  const [, major, minor] = answer.stdout.match(/\bv=(\d+)\.(\d+)/) ?? [];
  return Number(major) > 6 || (Number(major) === 6 && Number(minor) >= 2);
}

async function fetchedBinary(place: Place): Promise<string> {
  const file = `redis-server-${VERSION}-${platform()}`;
  const artifact = { title: `Redis ${VERSION}`, coordinates: 'org.signal:embedded-redis:0.9.1', includes: file, megabytes: 11 };
  return join(await cachedArtifact(artifact, `redis-${VERSION}`, place, (folder) => chmod(join(folder, file), 0o755)), file);
}

function platform(): string {
  const architecture = ARCHITECTURES[process.arch];
  if (architecture && ['linux', 'darwin'].includes(process.platform)) return `${process.platform}-${architecture}`;
  throw new StackError(`There is no local Redis for ${process.platform} on ${process.arch}: set REDIS_URL to a server of your own.`);
}
