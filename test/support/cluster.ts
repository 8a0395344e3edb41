import { elasticsearchServer } from '@ugc/local-stack/elasticsearch-server';
import { serverAccount } from '@ugc/local-stack/account';
import { choosePorts } from '@ugc/local-stack/ports';
import { redisServer } from '@ugc/local-stack/redis-server';
import type { Server } from '@ugc/local-stack/server';
import { serviceProcess } from '@ugc/local-stack/service-process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from './client.ts';
import { createEnvironment, type Environment } from './environment.ts';
import { openStores, untilIndexed, type Stores } from './service.ts';
import { until } from './until.ts';

/** API and indexers as processes of their own, with servers of their own where a test breaks them. */
export type Cluster = Stores & {
  env: Environment;
  client: Client;
  api: Server;
  indexer: Server;
  indexers: Server[];
  /** The file with the API's log. */
  apiLog: string;
  /** Defined when the test asked for its own. */
  redis: Server | undefined;
  elasticsearchServer: Server | undefined;
  /** Where Elasticsearch keeps its indices, for a test that loses them. */
  elasticsearchData: string;
  indexed(): Promise<void>;
  stop(): Promise<void>;
};

type Own = { redis?: boolean; elasticsearch?: boolean; indexers?: number };

export async function startCluster(own: Own = {}, overrides: Environment = {}): Promise<Cluster> {
  const dataDir = await mkdtemp(join(process.env['TEST_DATA_DIR'] ?? '', 'cluster-'));
  await chmod(dataDir, 0o755);
  const ports = await choosePorts(
    ['PORT', 'OPERATIONS_PORT', 'redis', 'elasticsearch'].map((variable) => ({ server: variable, variable, port: 0 })),
  );
  const [port = 0, operationsPort = 0, redisPort = 0, elasticsearchPort = 0] = ports;
  const as = serverAccount();
  const redis = own.redis ? redisServer({ dataDir: join(dataDir, 'redis'), port: redisPort, as }) : undefined;
  const elasticsearch = own.elasticsearch
    ? elasticsearchServer({ dataDir: join(dataDir, 'elasticsearch'), port: elasticsearchPort, as })
    : undefined;
  await Promise.all([redis?.start(), elasticsearch?.start()]);

  const env = await createEnvironment({
    PORT: String(port),
    OPERATIONS_PORT: String(operationsPort),
    LOG_LEVEL: 'info',
    ...(redis && { REDIS_URL: redis.url }),
    ...(elasticsearch && { ELASTICSEARCH_URL: elasticsearch.url }),
    ...overrides,
  });
  const api = serviceProcess({ name: 'API', main: 'services/api/src/main.ts', dataDir: join(dataDir, 'api'), port, env });
  const indexers = await startIndexers(own.indexers ?? 1, dataDir, env);
  const [indexer] = indexers;
  if (!indexer) throw new Error('a cluster has at least one indexer');
  await api.start();

  const stores = openStores(env);
  const client = new Client(api.url);
  await until('the list answers', async () => (await client.list()).status === 200);
  const stop = async (): Promise<void> => {
    await stores.close();
    await Promise.all([api, ...indexers].map((service) => service.stop()));
    await Promise.all([redis?.stop(), elasticsearch?.stop()]);
    await rm(dataDir, { recursive: true, force: true });
  };
  return {
    ...stores,
    env,
    client,
    api,
    indexer,
    indexers,
    redis,
    apiLog: join(dataDir, 'api', 'server.log'),
    elasticsearchServer: elasticsearch,
    elasticsearchData: join(dataDir, 'elasticsearch', 'data'),
    indexed: () => untilIndexed(stores, env),
    stop,
  };
}

async function startIndexers(count: number, dataDir: string, env: Environment): Promise<Server[]> {
  const ports = await choosePorts(Array.from({ length: count }, (_, n) => ({ server: `indexer ${n}`, variable: 'INDEXER_PORT', port: 0 })));
  const indexers = ports.map((port, n) =>
    serviceProcess({
      name: 'Indexer',
      main: 'services/indexer/src/main.ts',
      dataDir: join(dataDir, `indexer-${n}`),
      port,
      env: { ...env, INDEXER_PORT: String(port) },
    }),
  );
  await Promise.all(indexers.map((indexer) => indexer.start()));
  return indexers;
}
