import { connectElasticsearch } from '@ugc/shared/elasticsearch';
import { openIndexQueue } from '@ugc/shared/index-queue';
import type { Log } from '@ugc/shared/log';
import { serveOperations } from '@ugc/shared/operations-server';
import { connectPostgres } from '@ugc/shared/postgres';
import { connectProducer } from '@ugc/shared/redis';
import type { Step } from '@ugc/shared/shutdown';
import { createApp } from './app.ts';
import { openKeys } from './auth/keys.ts';
import { IndexWatch } from './content/index-watch.ts';
import type { ApiEnv } from './env.ts';
import { createMetrics } from './metrics.ts';
import { Relay } from './relay/relay.ts';
import { listen } from './server.ts';

const SEARCH_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 1_500;

export type RunningApi = { port: number; operationsPort: number; shutdown: Step[] };

/** Builds every part once and connects them; starts even when stores are away. */
export async function startApi(env: ApiEnv, log: Log): Promise<RunningApi> {
  const metrics = createMetrics();
  const database = connectPostgres({
    url: env.DATABASE_URL,
    applicationName: 'ugc-api',
    maxConnections: env.DATABASE_POOL_SIZE,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onIdleError: (err) => log.warn({ err }, 'a PostgreSQL connection broke'),
  });
  const elasticsearch = connectElasticsearch(env.ELASTICSEARCH_URL, SEARCH_TIMEOUT_MS);
  const onRedisError = (err: Error): void => log.warn({ err }, 'Redis does not answer');
  const redis = connectProducer(env.REDIS_URL, onRedisError);
  const queue = openIndexQueue(redis, env.QUEUE_PREFIX, onRedisError);
  const relay = new Relay({ database, redis, queue, log, metrics });
  const stores = { database, redis, elasticsearch, alias: env.CONTENT_ALIAS };
  const indexWatch = new IndexWatch({ ...stores, log });
  const app = createApp({ ...stores, indexWatch, limits: env, env, keys: openKeys(env), log, metrics, wakeRelay: () => relay.wake() });

  const server = await listen(app, env.BIND_ADDRESS, env.PORT);
  const operations = await serveOperations({ address: env.BIND_ADDRESS, port: env.OPERATIONS_PORT, registry: metrics.registry });
  relay.start();
  log.info({ port: server.port, operationsPort: operations.port }, 'api started');
  const shutdown: Step[] = [
    () => server.close(),
    () => relay.stop(),
    () => operations.close(),
    () => redis.disconnect(),
    () => elasticsearch.close(),
    () => database.close(),
  ];
  return { port: server.port, operationsPort: operations.port, shutdown };
}
