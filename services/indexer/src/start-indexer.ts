import { processName } from '@ugc/shared/postgres/earlier-processes';
import { connectElasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { connectEmbeddingService } from '@ugc/shared/embeddings/embedding-service';
import { openIndexQueue } from '@ugc/shared/contracts/index-queue';
import { logRepeated, type Log } from '@ugc/shared/process/log';
import { serveOperations } from '@ugc/shared/process/operations-server';
import { keepHeartbeat } from '@ugc/shared/ownership/heartbeat';
import { Ownership } from '@ugc/shared/ownership/ownership';
import { connectPostgres, SERVICE_CONNECT_TIMEOUT_MS } from '@ugc/shared/postgres/postgres';
import { connectProducer, connectWorker } from '@ugc/shared/redis/redis';
import { RedisCheck } from '@ugc/shared/redis/check';
import type { Repetition } from '@ugc/shared/timing/repeat';
import type { Registry } from 'prom-client';
import type { Running, Work } from '@ugc/shared/process/lifecycle';
import { VERSION } from '@ugc/shared/process/version';
import { createEmbeddingMetrics, keepEmbedded } from './embeddings/keep-embedded.ts';
import type { IndexerEnv } from './env.ts';
import { maintainIndex } from './maintain-index.ts';
import { createMetrics } from './metrics.ts';
import { reportAhead } from './conflicts/resolve-conflicts.ts';
import { watchProgress } from './jobs/progress-watch.ts';
import { startWorker } from './jobs/worker.ts';

/** After the timeout a bulk request is sent again, which is harmless. */
const BULK_TIMEOUT_MS = 30_000;
const STATEMENT_TIMEOUT_MS = 30_000;
export const CONCURRENT_JOBS = 2;

export type RunningIndexer = Running & { operationsPort: number; worker: Work; maintenance: Work; heartbeat: Work };
type IndexerStores = ReturnType<typeof connectStores>;

export async function startIndexer(env: IndexerEnv, log: Log, stores: IndexerStores = connectStores(env, log)): Promise<RunningIndexer> {
  const { database, elasticsearch, redis, watchRedis, queue } = stores;
  const metrics = createMetrics({ database, elasticsearch });
  const redisCheck = new RedisCheck({ redis: watchRedis, queuePrefix: env.QUEUE_PREFIX, log });
  const watch = watchProgress({ database, elasticsearch, redisCheck, queue });
  const { isLive } = watch;
  const own = { address: env.BIND_ADDRESS, port: env.INDEXER_PORT };
  const operations = await serveOperations({ ...own, registry: metrics.registry, isLive, log });
  const onAhead = reportAhead(log);
  const alias = env.CONTENT_ALIAS;
  const ownership = new Ownership({ database, elasticsearch, alias });
  const maintenance = maintainIndex({ database, elasticsearch, alias, ownership, settings: env, log, onAhead }, watch.indexMaintained);
  const heartbeat = keepHeartbeat({ database, elasticsearch, alias, ownership, log });
  const worker = startWorker(
    { database, elasticsearch, ownership, redis, log, metrics, watch, onAhead },
    { queuePrefix: env.QUEUE_PREFIX, concurrency: CONCURRENT_JOBS },
  );
  const embedding = startEmbedding(env, { database, log, registry: metrics.registry });
  watch.start();
  log.info({ version: VERSION, operationsPort: operations.port }, 'indexer started');
  const shutdown = [
    // A job may wait for a bulk request until the deadline. Meanwhile the others end, and the index lock is released.
    () => void [maintenance, heartbeat, embedding].forEach((part) => void part?.stop()),
    () => worker.stop(),
    () => maintenance.stop(),
    () => heartbeat.stop(),
    () => embedding?.stop(),
    () => watch.stop(),
    () => operations.close(),
    () => redis.disconnect(),
    () => watchRedis.disconnect(),
    () => elasticsearch.close(),
    () => database.close(),
  ];
  return { operationsPort: operations.port, worker, maintenance, heartbeat, shutdown, isLive };
}

type EmbeddingSources = Pick<IndexerStores, 'database'> & { log: Log; registry: Registry };

function startEmbedding(env: IndexerEnv, { registry, ...deps }: EmbeddingSources): Pick<Repetition, 'stop'> | undefined {
  const service = connectEmbeddingService(env);
  return service && keepEmbedded({ ...deps, service, env, metrics: createEmbeddingMetrics(registry) });
}

export function connectStores(env: IndexerEnv, log: Log) {
  const database = connectPostgres({
    url: env.DATABASE_URL,
    applicationName: processName('ugc-indexer'),
    maxConnections: CONCURRENT_JOBS + (env.EMBEDDINGS_URL === undefined ? 3 : 4),
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    connectTimeoutMs: SERVICE_CONNECT_TIMEOUT_MS,
    onIdleError: logRepeated((failure) => log.warn(failure, 'connection to PostgreSQL lost')),
  });
  const elasticsearch = connectElasticsearch(env.ELASTICSEARCH_URL, BULK_TIMEOUT_MS, env);
  const redis = connectWorker(
    env,
    logRepeated((failure) => log.warn(failure, 'Redis does not respond')),
  );
  const watchRedis = connectProducer(env, () => undefined);
  const queue = openIndexQueue(watchRedis, env.QUEUE_PREFIX, () => undefined);
  return { database, elasticsearch, redis, watchRedis, queue };
}
