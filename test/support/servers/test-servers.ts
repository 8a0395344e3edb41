import { removeStack } from '@ugc/local-stack/remove-stack';
import { searchServer } from '@ugc/local-stack/search-server';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { startStack, type Stack } from '@ugc/local-stack/stack';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate } from '@ugc/shared/postgres/migrate';
import { buildPages } from '@ugc/web/build/build-pages';
import { chromiumPath } from '../browser/chromium.ts';
import { createDatabase, TEMPLATE_DATABASE } from '../database/database.ts';

const RUNS = join(CHECKOUT, '.local', 'test');

/** Starts PostgreSQL, Redis and Elasticsearch on free ports with empty data folders. */
export async function startTestServers(): Promise<Stack> {
  console.error(`Starting PostgreSQL, Redis and ${searchServer().server} for the tests …`);
  await removeLeftovers();
  const stack = await startStack({
    dataDir: join(RUNS, String(process.pid)),
    ports: { postgres: 0, redis: 0, elasticsearch: 0 },
    env: withoutStores(),
  });
  process.env['TEST_DATABASE_URL'] = stack.databaseUrl;
  process.env['TEST_REDIS_URL'] = stack.redisUrl;
  process.env['TEST_ELASTICSEARCH_URL'] = stack.elasticsearchUrl;
  process.env['TEST_DATA_DIR'] = stack.dataDir;
  return stack;
}

// A run that was killed leaves servers running. The folder of a run is named after its process.
async function removeLeftovers(): Promise<void> {
  for (const folder of await leftoversIn(RUNS)) await removeStack(folder);
}

/** The folders in `parent` whose names are the ids of processes that have ended. */
export async function leftoversIn(parent: string): Promise<string[]> {
  const names = await readdir(parent).catch(() => []);
  return names.filter((pid) => !isAlive(Number(pid))).map((name) => join(parent, name));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

// The tests kill servers and delete data, so they never use servers that are configured in the environment.
function withoutStores(): NodeJS.ProcessEnv {
  const { DATABASE_URL: _d, REDIS_URL: _r, ELASTICSEARCH_URL: _e, ...env } = process.env;
  return env;
}

/**
 * Starts the servers that all test files share, unless TEST_DATABASE_URL is set because another program has started
 * them. @returns what stops them
 */
export async function startSharedServers(): Promise<() => Promise<void>> {
  await Promise.all([buildPages(), chromiumPath()]);
  const stack = process.env['TEST_DATABASE_URL'] ? undefined : await startTestServers();
  await migrate(await createDatabase(TEMPLATE_DATABASE));
  return async () => {
    if (!stack) return;
    await stack.stop();
    await removeStack(stack.dataDir);
  };
}
