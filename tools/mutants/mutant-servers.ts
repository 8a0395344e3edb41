import { removeStack } from '@ugc/local-stack/remove-stack';
import { connectElasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { Redis } from 'ioredis';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startTestServers } from '../../test/support/servers/test-servers.ts';

export type MutantServers = {
  /** Removes the databases, keys, indices and processes that a run left, even if it was killed. */
  clean(): Promise<void>;
  stop(): Promise<void>;
};

/** Starts one PostgreSQL, Redis and Elasticsearch for all runs and sets the TEST_* variables. */
export async function startMutantServers(): Promise<MutantServers> {
  const stack = await startTestServers();
  const dataDir = join(stack.dataDir, 'run');
  process.env['TEST_DATA_DIR'] = dataDir;
  const makeDataDir = (): void => {
    mkdirSync(dataDir);
    // The servers of a test may run under another account.
    chmodSync(dataDir, 0o755);
  };
  makeDataDir();
  const clean = async (): Promise<void> => {
    await removeStack(dataDir);
    makeDataDir();
    await Promise.all([cleanPostgres(stack.databaseUrl), cleanRedis(stack.redisUrl), cleanElasticsearch(stack.elasticsearchUrl)]);
  };
  const stop = async (): Promise<void> => {
    await stack.stop();
    await removeStack(stack.dataDir);
  };
  return { clean, stop };
}

async function cleanPostgres(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ datname: string }>(
    `select datname from pg_database where datname like 't%' and not datistemplate and datname <> current_database()`,
  );
  for (const { datname } of rows) await client.query(`drop database "${datname}" with (force)`);
  await client.end();
}

async function cleanRedis(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.flushall();
  redis.disconnect();
}

async function cleanElasticsearch(url: string): Promise<void> {
  const elasticsearch = connectElasticsearch(url, 30_000);
  for (const index of Object.keys(await elasticsearch.indices.get({ index: '*', expand_wildcards: ['open', 'closed'] })))
    await elasticsearch.indices.delete({ index });
  await elasticsearch.indices.deleteIndexTemplate({ name: 't*' }, { ignore: [404] });
  await elasticsearch.close();
}
