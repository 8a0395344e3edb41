/** @store-timeout-factor 1 */
import { describe, expect, it } from '@jest/globals';
import { serverAccount } from '@ugc/local-stack/account';
import { redisServer } from '@ugc/local-stack/redis-server';
import { createMetrics } from '@ugc/indexer/metrics';
import { watchProgress, type ProgressWatch } from '@ugc/indexer/jobs/progress-watch';
import { startWorker } from '@ugc/indexer/jobs/worker';
import { connectElasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { readIdentity } from '@ugc/shared/contracts/database-identity';
import { INDEX_QUEUE, openIndexQueue, type IndexJob, type IndexQueue } from '@ugc/shared/contracts/index-queue';
import { Ownership } from '@ugc/shared/ownership/ownership';
import { createLog } from '@ugc/shared/process/log';
import { connectPostgres } from '@ugc/shared/postgres/postgres';
import { connectProducer, connectWorker } from '@ugc/shared/redis/redis';
import { RedisCheck } from '@ugc/shared/redis/check';
import { runSteps, type Step } from '@ugc/shared/process/lifecycle';
import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '../support/cluster/cluster-servers.ts';
import { dataFolder } from '../support/servers/data-folder.ts';
import { ChaosProxy } from '../support/cluster/chaos-proxy.ts';
import { createEnvironment, type Environment } from '../support/processes/environment.ts';
import { openStores } from '../support/processes/service.ts';
import { until } from '../support/jest/until.ts';

/** 12 checks within 3 s; the indexer makes 12 checks within 60 s. */
const WATCH = { checkEveryMs: 250, jobsStuckAfterMs: 3_000 };
const LONGER_THAN_STUCK_MS = 2 * WATCH.jobsStuckAfterMs;

const log = createLog('test', 'silent');

/** The tests mostly wait, so they run side by side. Each has a database, a queue and steps to clean up of its own. */
type Own = { env: Environment; cleanUp: Step[] };

function withOwn<Row extends unknown[]>(test: (own: Own, ...row: Row) => Promise<void>): (...row: Row) => Promise<void> {
  return async (...row) => {
    const own: Own = { env: await createEnvironment(), cleanUp: [] };
    await test(own, ...row).finally(() => runSteps(log, own.cleanUp.reverse()));
  };
}

type Indexing = { watch: ProgressWatch; queue: IndexQueue; worker: { stop(): Promise<void> } };

/** Starts a worker with its watch. `onCheck` is called by each check. */
function startIndexing({ env, cleanUp }: Own, { workerRedis, ...stores }: Environment = {}, onCheck = (): void => undefined): Indexing {
  const urls: Environment = { ...env, ...stores };
  const ignore = (): void => undefined;
  const database = connectPostgres({ url: urls['DATABASE_URL'] ?? '', applicationName: 'test', maxConnections: 4, statementTimeoutMs: 30_000, onIdleError: ignore }); // prettier-ignore
  const elasticsearch = connectElasticsearch(urls['ELASTICSEARCH_URL'] ?? '', 60_000);
  const redis = connectWorker({ REDIS_URL: workerRedis ?? urls['REDIS_URL'] ?? '' }, ignore);
  const watchRedis = connectProducer({ REDIS_URL: urls['REDIS_URL'] ?? '' }, ignore);
  const queue = openIndexQueue(watchRedis, env['QUEUE_PREFIX'] ?? '', ignore);
  const redisCheck = new RedisCheck({ redis: watchRedis, queuePrefix: env['QUEUE_PREFIX'] ?? '', log });
  const query: typeof database.query = (statement, values) => (onCheck(), database.query(statement, values));
  const watch = watchProgress({ database: { ...database, query }, elasticsearch, redisCheck, queue }, WATCH);
  const metrics = createMetrics({ database, elasticsearch });
  const worker = startWorker(
    {
      database,
      elasticsearch,
      ownership: new Ownership({ database, elasticsearch, alias: env['CONTENT_ALIAS'] ?? '' }),
      redis,
      log,
      metrics,
      watch,
    },
    { queuePrefix: env['QUEUE_PREFIX'] ?? '', concurrency: 2 },
  );
  watch.start();
  // Not awaited: a worker without a connection cannot close.
  cleanUp.push(() => watch.stop(), () => void database.close(), () => void elasticsearch.close(), () => redis.disconnect(), () => watchRedis.disconnect(), () => void worker.stop()); // prettier-ignore
  return { watch, queue, worker };
}

/** Adds a pending change and an index to write it to. */
async function addChange({ env }: Own): Promise<void> {
  const stores = openStores(env);
  const index = env['CONTENT_ALIAS'] ?? '';
  await stores.database.query(`insert into content (creator_id, name, description, data, version) values (1, 'x', '', '', 1)`);
  await stores.database.query(`insert into index_outbox (content_id, revision) select content_id, revision from content`);
  await stores.elasticsearch.indices.create({ index });
  const { [index]: state } = await stores.elasticsearch.indices.get({ index });
  const uuid = state?.settings?.index?.uuid;
  await stores.database.query(`insert into index_target (index_name, role, uuid) values ($1, 'search', $2)`, [index, uuid]);
  await stores.close();
}

async function addJobs({ env, cleanUp }: Own, count: number): Promise<IndexQueue> {
  const redis = connectProducer({ REDIS_URL: env['REDIS_URL'] ?? '' }, () => undefined);
  cleanUp.push(() => redis.disconnect());
  await until('Redis is connected', () => redis.status === 'ready');
  const queue = openIndexQueue(redis, env['QUEUE_PREFIX'] ?? '', () => undefined);
  await queue.addBulk(await jobs({ env }, count));
  return queue;
}

type Added = { name: typeof INDEX_QUEUE; data: IndexJob; opts: { jobId: string } };

async function jobs({ env }: Pick<Own, 'env'>, count: number): Promise<Added[]> {
  const stores = openStores(env);
  const database = await readIdentity(stores.database);
  await stores.close();
  return Array.from({ length: count }, () => ({ name: INDEX_QUEUE, data: { contentIds: [1], database }, opts: { jobId: randomUUID() } }));
}

function countJobs(queue: IndexQueue): Promise<number> {
  return queue.getJobCountByTypes('waiting', 'prioritized', 'active');
}

async function isDone(queue: IndexQueue): Promise<boolean> {
  return (await countJobs(queue)) === 0;
}

async function expectToStayLive({ watch }: Indexing): Promise<void> {
  for (const deadline = Date.now() + LONGER_THAN_STUCK_MS; Date.now() < deadline; await delay(100)) expect(watch.isLive()).toBe(true);
}

it.concurrent(
  'a worker is stuck when its connections to Redis are silent while jobs wait and all stores respond',
  withOwn(async (own) => {
    const link = await proxyBefore(own, 'REDIS_URL');
    const indexing = startIndexing(own, { workerRedis: link.url });
    const queue = await addJobs(own, 3);
    await until('the jobs are done', () => isDone(queue));
    expect(indexing.watch.isLive()).toBe(true);
    link.silence();
    await addJobs(own, 3);
    await until('it is reported', () => !indexing.watch.isLive());
  }),
);

it.concurrent(
  'a worker is stuck when its job never ends, also if no other job waits',
  withOwn((own) => {
    const { watch } = startIndexing(own);
    watch.jobStarted();
    return until('it is reported', () => !watch.isLive());
  }),
);

it.concurrent(
  'an indexer that reaches Redis and not PostgreSQL leaves most jobs to the others',
  withOwn(async (own) => {
    startIndexing(own, { DATABASE_URL: 'postgresql://127.0.0.1:1/none' });
    const queue = await addJobs(own, 40);
    await until('a job has failed', async () => (await countJobs(queue)) < 40);
    const { watch } = startIndexing(own);
    const { jobEnded } = watch;
    let ended = 0;
    watch.jobEnded = () => (jobEnded(), void (ended += 1));
    await until('the jobs are done', () => isDone(queue));
    expect(ended).toBeGreaterThan(20);
  }),
);

describe('a worker that a restart would not help stays live', () => {
  it.concurrent(
    'while there are no jobs any more',
    withOwn(async (own) => {
      const indexing = startIndexing(own);
      const queue = await addJobs(own, 1);
      await until('the job is done', () => isDone(queue));
      await expectToStayLive(indexing);
    }),
  );

  it.concurrent(
    'while it completes jobs',
    withOwn(async (own) => {
      let checks = 0;
      const { watch } = startIndexing(own, {}, () => {
        checks += 1;
        // Twelve checks without the end of a job would be too many.
        if (checks % 8 !== 0) return;
        watch.jobEnded();
        watch.jobStarted();
      });
      watch.jobStarted();
      await until('there were many checks', () => {
        expect(watch.isLive()).toBe(true);
        return checks > 30;
      });
    }),
  );

  it.concurrent.each(['DATABASE_URL', 'ELASTICSEARCH_URL', 'REDIS_URL'])(
    'while the store of %s hangs during a job',
    withOwn(async (own, store: string) => {
      const link = await proxyBefore(own, store);
      const indexing = startIndexing(own, { [store]: link.url });
      const queue = await addJobs(own, 1);
      await until('the job is done', () => isDone(queue));
      await addChange(own);
      link.silence();
      await addJobs(own, 3);
      await expectToStayLive(indexing);
    }),
  );

  it.concurrent.each([
    ['is full', (redis: Redis, is: boolean) => redis.config('SET', 'maxmemory', is ? '1' : '0')],
    ['has become a replica', (redis: Redis, is: boolean) => (is ? redis.replicaof('127.0.0.1', '1') : redis.replicaof('NO', 'ONE'))],
  ])(
    'while Redis %s and accepts no writes, and does not flood Redis with commands',
    withOwn(async (own, _: string, blockWrites: (redis: Redis, is: boolean) => Promise<unknown>) => {
      const { redis, url } = await startRedis(own);
      await until('it is connected', () => redis.status === 'ready');
      const queue = openIndexQueue(redis, own.env['QUEUE_PREFIX'] ?? '', () => undefined);
      await queue.addBulk(await jobs(own, 1));
      await blockWrites(redis, true);
      const indexing = startIndexing(own, { REDIS_URL: url });
      await expectToStayLive(indexing);
      const [, commands] = /^total_commands_processed:(\d+)/m.exec(await redis.info('stats')) ?? [];
      expect(Number(commands)).toBeLessThan(5_000);
      await blockWrites(redis, false);
      await indexing.worker.stop();
    }),
  );

  it.concurrent(
    'while the queue is paused in BullMQ',
    withOwn(async (own) => {
      const indexing = startIndexing(own);
      await (await addJobs(own, 0)).pause();
      await addJobs(own, 3);
      await expectToStayLive(indexing);
    }),
  );
});

async function startRedis({ cleanUp }: Own): Promise<{ redis: Redis; url: string }> {
  const [port = 0] = await freePorts(1);
  const server = redisServer({ dataDir: await dataFolder('redis-'), port, as: serverAccount() });
  await server.start();
  const redis = connectProducer({ REDIS_URL: server.url }, () => undefined);
  cleanUp.push(
    () => server.stop(),
    () => redis.disconnect(),
  );
  return { redis, url: server.url };
}

async function proxyBefore({ env, cleanUp }: Own, store: string): Promise<ChaosProxy> {
  const proxy = await ChaosProxy.before(env[store] ?? '');
  cleanUp.push(() => proxy.close());
  return proxy;
}
