import { cachedFolder } from '@ugc/local-stack/artifacts';
import { cacheFolder } from '@ugc/local-stack/folders';
import { CHECKOUT, serviceProcess } from '@ugc/local-stack/service-process';
import type { Server } from '@ugc/local-stack/server';
import { MIGRATIONS } from '@ugc/shared/postgres/schema';
import { execFile } from 'node:child_process';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { type Environment, COMPILE_CACHE } from '../processes/environment.ts';
import { freePorts } from './cluster-servers.ts';

const run = promisify(execFile);

/** Checks a tag or commit out into the cache, installs its packages and builds the web pages. @returns the folder, which ends with a slash */
export async function checkOutRelease(tag: string): Promise<string> {
  const folder = await cachedFolder(`release-${tag}`, cacheFolder(), async (unfinished) => {
    await run('git', ['archive', '--output', join(unfinished, 'release.tar'), tag], { cwd: CHECKOUT });
    await run('tar', ['-xf', 'release.tar'], { cwd: unfinished });
    await install(unfinished);
  });
  return `${folder}/`;
}

/**
 * Copies this checkout to a folder as the release after it: its version is one patch higher, and it has one more
 * migration. @returns the folder, which ends with a slash, and the version
 */
export async function makeNextRelease(
  folder: string,
  migration: { name: string; text: string },
): Promise<{ checkout: string; version: string }> {
  const left = new Set(['node_modules', '.git', '.local', 'dist']);
  // Each entry by itself, since the folder may be below the checkout.
  for (const entry of (await readdir(CHECKOUT)).filter((name) => !left.has(name)))
    await cp(join(CHECKOUT, entry), join(folder, entry), { recursive: true, filter: (path) => !left.has(basename(path)) });
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
  const [major, minor, patch] = manifest.version.split('.');
  const version = `${major}.${minor}.${Number(patch) + 1}`;
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, version }));
  await writeFile(join(folder, relative(CHECKOUT, MIGRATIONS), migration.name), migration.text);
  await install(folder);
  return { checkout: `${folder}/`, version };
}

/** The API and the indexers of a release, as processes on the stores of `env`. */
export type RunningRelease = {
  apis: Server[];
  indexers: Server[];
  url: string;
  apiLog: string;
  operationsUrl: string;
  stop(): Promise<void>;
};

export async function startRelease(checkout: string, dataDir: string, env: Environment, indexers = 2): Promise<RunningRelease> {
  const [port = 0, operationsPort = 0, ...indexerPorts] = await freePorts(2 + indexers);
  const processOf = (name: 'API' | 'Indexer', folder: string, ownPort: number, ports: Environment): Server =>
    serviceProcess({
      name,
      main: `services/${name.toLowerCase()}/src/main.ts`,
      dataDir: join(dataDir, folder),
      port: ownPort,
      env: { ...env, ...COMPILE_CACHE, ...ports },
      checkout,
    });
  const api = processOf('API', 'api', port, { PORT: String(port), OPERATIONS_PORT: String(operationsPort) });
  const processes = indexerPorts.map((own, n) => processOf('Indexer', `indexer-${n}`, own, { INDEXER_PORT: String(own) }));
  const all = [api, ...processes];
  const stop = async (): Promise<void> => void (await Promise.all(all.map((process) => process.stop())));
  await Promise.all(all.map((process) => process.start())).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const apiLog = join(dataDir, 'api', 'server.log');
  return { apis: [api], indexers: processes, url: api.url, apiLog, operationsUrl: `http://127.0.0.1:${operationsPort}`, stop };
}

/** The variables of the pnpm that runs the tests would choose another workspace. */
export async function installPackages(folder: string): Promise<void> {
  const args = ['--dir', folder, 'install', '--frozen-lockfile', '--prefer-offline'];
  const { PATH, HOME } = process.env;
  await run(join(CHECKOUT, 'node_modules/.bin/pnpm'), args, { cwd: folder, env: { PATH, HOME }, maxBuffer: 100_000_000 });
}

async function install(folder: string): Promise<void> {
  await installPackages(folder);
  await run(process.execPath, ['packages/web/build/build-pages.ts'], { cwd: folder });
}
