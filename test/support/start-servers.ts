import { removeStack } from '@ugc/local-stack/remove-stack';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { startStack } from '@ugc/local-stack/stack';
import { migrate } from '@ugc/shared/migrate';
import type { Config } from '@jest/types';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TEMPLATE_DATABASE, createDatabase } from './database.ts';

const RUNS = join(CHECKOUT, '.local', 'test');

/** Real servers of the tests' own, on free ports and new data, beside whatever else runs on the machine. */
export default async function startServers({ testPathPatterns }: Config.GlobalConfig): Promise<void> {
  if (needNoServers(testPathPatterns.patterns)) return;
  console.error('Starting PostgreSQL, Redis and Elasticsearch for the tests …');
  await removeLeftovers();
  const stack = await startStack({
    dataDir: join(RUNS, String(process.pid)),
    ports: { postgres: 0, redis: 0, elasticsearch: 0 },
    env: withoutStores(),
    say: (line) => console.error(line),
  });
  process.env['TEST_DATABASE_URL'] = stack.databaseUrl;
  process.env['TEST_REDIS_URL'] = stack.redisUrl;
  process.env['TEST_ELASTICSEARCH_URL'] = stack.elasticsearchUrl;
  process.env['TEST_DATA_DIR'] = stack.dataDir;
  globalThis.testStack = stack;
  await migrate(await createDatabase(TEMPLATE_DATABASE));
}

// A run that was killed left its servers behind; every run has a folder that is named after its process.
async function removeLeftovers(): Promise<void> {
  const runs = await readdir(RUNS).catch(() => []);
  for (const run of runs.filter((pid) => !isAlive(Number(pid)))) await removeStack(join(RUNS, run));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

// `pnpm test unit` is for the seconds between two thoughts.
function needNoServers(patterns: string[]): boolean {
  return patterns.length > 0 && patterns.every((pattern) => /^unit[\w./-]*$/.test(pattern));
}

// The tests kill and wipe what they use: never a server that somebody else configured.
function withoutStores(): NodeJS.ProcessEnv {
  const { DATABASE_URL: _d, REDIS_URL: _r, ELASTICSEARCH_URL: _e, ...env } = process.env;
  return env;
}
