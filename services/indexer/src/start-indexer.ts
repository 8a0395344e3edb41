import { connectElasticsearch } from '@ugc/shared/elasticsearch';
import type { Log } from '@ugc/shared/log';
import { serveOperations } from '@ugc/shared/operations-server';
import { connectPostgres } from '@ugc/shared/postgres';
import { connectWorker } from '@ugc/shared/redis';
import type { Step } from '@ugc/shared/shutdown';
import type { IndexerEnv } from './env.ts';
import { keepIndex } from './keep-index.ts';
import { createMetrics } from './metrics.ts';
import { startWorker } from './worker.ts';

const BULK_TIMEOUT_MS = 60_000;
const STATEMENT_TIMEOUT_MS = 30_000;

export type RunningIndexer = { operationsPort: number; shutdown: Step[] };

/** Builds every part once and connects them; starts even when stores are away. */
export async function startIndexer(env: IndexerEnv, log: Log): Promise<RunningIndexer> {
  const metrics = createMetrics();
  const database = connectPostgres({
    url: env.DATABASE_URL,
    applicationName: 'ugc-indexer',
    maxConnections: env.INDEXER_CONCURRENCY + 3,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onIdleError: (err) => log.warn({ err }, 'a PostgreSQL connection broke'),
  });
  const elasticsearch = connectElasticsearch(env.ELASTICSEARCH_URL, BULK_TIMEOUT_MS);
  const redis = connectWorker(env.REDIS_URL, (err) => log.warn({ err }, 'Redis does not answer'));
  const operations = await serveOperations({ address: env.BIND_ADDRESS, port: env.INDEXER_PORT, registry: metrics.registry });
  const index = keepIndex({ database, elasticsearch, alias: env.CONTENT_ALIAS, log });
  const worker = startWorker(
    { database, elasticsearch, redis, log, metrics },
    { queuePrefix: env.QUEUE_PREFIX, concurrency: env.INDEXER_CONCURRENCY },
  );
  log.info({ operationsPort: operations.port }, 'indexer started');
  const shutdown: Step[] = [
    () => worker.stop(),
    () => index.stop(),
    () => operations.close(),
    () => redis.disconnect(),
    () => elasticsearch.close(),
    () => database.close(),
  ];
  return { operationsPort: operations.port, shutdown };
}
