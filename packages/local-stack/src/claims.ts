import { access, constants, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from './folders.ts';
import { withLock } from './lock.ts';
import { startOf } from './pid-file.ts';
import { choosePorts, type PortRequest } from './ports.ts';
import { StackError } from './stack-error.ts';
import { writeWhole } from './whole-file.ts';

/** What a process that starts servers uses: a server listens on its port a while after the port was chosen. */
type Claim = { pid: number; started: string; folder: string; ports: number[] };

/** @throws StackError when another process that runs has claimed the folder */
export async function claimFolder(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  await changeClaims(env, (claims) => {
    const other = claims.find((claim) => claim.folder === folder && claim.pid !== process.pid);
    if (other) throw new StackError(`Process ${other.pid} already starts servers on ${folder}: stop that process first.`);
    return Promise.resolve([...claims.filter((claim) => claim.folder !== folder), claimOf(folder, [])]);
  });
}

/** `choosePorts`, without the ports that other starts of this user have chosen. */
export async function claimPorts(folder: string, requests: PortRequest[], env: NodeJS.ProcessEnv): Promise<number[]> {
  let chosen: number[] = [];
  await changeClaims(env, async (claims) => {
    const others = claims.filter((claim) => claim.folder !== folder);
    const own = claims.find((claim) => claim.folder === folder)?.ports ?? [];
    chosen = await choosePorts(requests, new Set(others.flatMap(({ ports }) => ports)));
    return [...others, claimOf(folder, [...own, ...chosen])];
  });
  return chosen;
}

export async function releaseClaim(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  await changeClaims(env, (claims) => Promise.resolve(claims.filter((claim) => claim.folder !== folder || claim.pid !== process.pid)));
}

function claimOf(folder: string, ports: number[]): Claim {
  return { pid: process.pid, started: startOf(process.pid), folder, ports };
}

async function changeClaims(env: NodeJS.ProcessEnv, change: (claims: Claim[]) => Promise<Claim[]>): Promise<void> {
  const cache = cacheFolder(env);
  const file = join(cache, 'claims.json');
  await mkdir(cache, { recursive: true }).catch(() => undefined);
  const isWritable = await access(cache, constants.W_OK).then(
    () => true,
    () => false,
  );
  // Without the file, a port that another start has chosen is noticed when the server cannot listen on it.
  if (!isWritable) return void (await change([]));
  await withLock(join(cache, '.claims-lock'), async () => {
    writeWhole(file, JSON.stringify(await change(await claimsOfTheLiving(file))));
  });
}

async function claimsOfTheLiving(file: string): Promise<Claim[]> {
  try {
    const claims = JSON.parse(await readFile(file, 'utf8')) as Claim[];
    return claims.filter(({ pid, started }) => startOf(pid) === started);
  } catch {
    return [];
  }
}
