import { startStack } from '@ugc/local-stack/stack';
import { migrate } from '@ugc/shared/migrate';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEMPLATE_DATABASE, createDatabase } from './database.ts';

/** Real servers of the tests' own, on free ports and temporary data, beside whatever else runs on the machine. */
export default async function startServers(): Promise<void> {
  console.error('Starting PostgreSQL, Redis and Elasticsearch for the tests …');
  const dataDir = await mkdtemp(join(tmpdir(), 'ugc-test-'));
  const stack = await startStack({
    dataDir,
    ports: { postgres: 0, redis: 0, elasticsearch: 0 },
    env: withoutStores(),
    say: (line) => console.error(line),
  });
  process.env['TEST_DATABASE_URL'] = stack.databaseUrl;
  process.env['TEST_REDIS_URL'] = stack.redisUrl;
  process.env['TEST_ELASTICSEARCH_URL'] = stack.elasticsearchUrl;
  globalThis.testStack = { stack, dataDir };
  await migrate(await createDatabase(TEMPLATE_DATABASE));
}

// The tests kill and wipe what they use: never a server that somebody else configured.
function withoutStores(): NodeJS.ProcessEnv {
  const { DATABASE_URL: _d, REDIS_URL: _r, ELASTICSEARCH_URL: _e, ...env } = process.env;
  return env;
}
