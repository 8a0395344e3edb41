import pg from 'pg';
import { createDatabase, TEMPLATE_DATABASE, uniqueName } from '../database/database.ts';
import { SECRET } from '../http/tokens.ts';
import { CHECKOUT } from '@ugc/local-stack/service-process';

/** The users in the database of every test: ids by name. */
export const USERS = { ada: 1, boris: 2, 'Chloé Dubois': 3 };

/** Elasticsearch counts a search, and a hit of its cache, once for each shard. */
export const TEST_SHARDS = Number(process.env['TEST_INDEX_SHARDS'] ?? 1);

export type Environment = Record<string, string>;

/**
 * A configuration with a new database, alias and queue on the shared test servers.
 * @param overrides may contain the DATABASE_URL of another server
 */
export async function createEnvironment(overrides: Environment = {}): Promise<Environment> {
  const name = uniqueName();
  const databaseUrl = await createDatabase(name, TEMPLATE_DATABASE);
  await insertUsers(databaseUrl);
  return {
    DATABASE_URL: databaseUrl,
    REDIS_URL: process.env['TEST_REDIS_URL'] ?? '',
    ELASTICSEARCH_URL: process.env['TEST_ELASTICSEARCH_URL'] ?? '',
    CONTENT_ALIAS: name,
    QUEUE_PREFIX: name,
    JWT_SECRET: SECRET,
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    PORT: '0',
    OPERATIONS_PORT: '0',
    INDEXER_PORT: '0',
    DATABASE_POOL_SIZE: '10',
    // A list of a busy machine may take longer than the default limit. Tests of the limit set another one.
    LIST_TIMEOUT_MS: '60000',
    // Of this test file; processes get this environment only.
    STORE_TIMEOUT_FACTOR: process.env['STORE_TIMEOUT_FACTOR'] ?? '1',
    INDEX_SHARDS: String(TEST_SHARDS),
    ...overrides,
  };
}

export async function insertUsers(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  for (const username of Object.keys(USERS))
    await client.query(`insert into users (username, credential) values ($1, $2) on conflict do nothing`, [username, `test|${username}`]);
  await client.end();
}

/**
 * The environment of a Node.js process that keeps the code that it compiles for all later processes: a start
 * takes half the processor time. Node.js compares the sources, so an edit takes effect.
 */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: `${CHECKOUT}.local/compile-cache` };
