import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { serverAccount } from '@ugc/local-stack/account';
import { redisServer } from '@ugc/local-stack/redis-server';
import { createMetrics } from '@ugc/indexer/metrics';
import { watchProgress, type ProgressWatch } from '@ugc/indexer/jobs/progress-watch';
import { startWorker } from '@ugc/indexer/jobs/worker';
import { connectElasticsearch } from '@ugc/shared/stores/elasticsearch';
import { INDEX_QUEUE, openIndexQueue, type IndexQueue } from '@ugc/shared/contracts/index-queue';
import { createLog } from '@ugc/shared/process/log';
import { connectPostgres } from '@ugc/shared/stores/postgres';
import { connectProducer, connectWorker } from '@ugc/shared/stores/redis';
import { runSteps, type Step } from '@ugc/shared/process/shutdown';
import type { Redis } from 'ioredis';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '../support/cluster-servers.ts';
import { dataFolder } from '../support/data-folder.ts';
import { ChaosProxy } from '../support/chaos-proxy.ts';
import { createEnvironment, type Environment } from '../support/environment.ts';
import { openStores } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Seconds for minutes: 12 looks within 3 s, where the indexer takes 12 within 60 s. A store has 1 s to answer in both. */
const LOOKS = { checkEveryMs: 250, workStuckAfterMs: 3_000 };
const LONGER_THAN_WEDGED_MS = 2 * LOOKS.workStuckAfterMs;

const log = createLog('test', 'silent');
let env: Environment;
const cleanUp: Step[] = [];
beforeEach(async () => {
  env = await createEnvironment();
});
afterEach(() => runSteps(log, cleanUp.splice(0).reverse()));

type Part = { watch: ProgressWatch; queue: IndexQueue; worker: { stop(): Promise<void> } };

/** A worker and its watch. */
function startPart({ workerRedis, ...stores }: Environment = {}): Part {
  const urls: Environment = { ...env, ...stores };
  const ignore = (): void => undefined;
  const database = connectPostgres({ url: urls['DATABASE_URL'] ?? '', applicationName: 'test', maxConnections: 4, statementTimeoutMs: 30_000, onIdleError: ignore }); // prettier-ignore
  const elasticsearch = connectElasticsearch(urls['ELASTICSEARCH_URL'] ?? '', 60_000);
  const redis = connectWorker(workerRedis ?? urls['REDIS_URL'] ?? '', ignore);
  const watchRedis = connectProducer(urls['REDIS_URL'] ?? '', ignore);
  const queue = openIndexQueue(watchRedis, env['QUEUE_PREFIX'] ?? '', ignore);
  const watch = watchProgress({ database, elasticsearch, redis: watchRedis, queue }, LOOKS);
  const metrics = createMetrics({ database, elasticsearch });
  const worker = startWorker(
    { database, elasticsearch, redis, log, metrics, watch },
    { queuePrefix: env['QUEUE_PREFIX'] ?? '', concurrency: 2 },
  );
  watch.start();
  // Not waited for: a worker that is cut off can't say goodbye.
  cleanUp.push(() => watch.stop(), () => void database.close(), () => void elasticsearch.close(), () => redis.disconnect(), () => watchRedis.disconnect(), () => void worker.stop()); // prettier-ignore
  return { watch, queue, worker };
}

/** An item with a change that is not indexed yet, and an index to write it to. */
async function addChange(): Promise<void> {
  const stores = openStores(env);
  const index = env['CONTENT_ALIAS'] ?? '';
  await stores.database.query(`insert into content (creator_id, name, description, data, version) values (1, 'x', '', '', 1)`);
  await stores.database.query(`insert into index_outbox (content_id, revision) select content_id, revision from content`);
  await stores.database.query(`insert into index_target (index_name, role) values ($1, 'search')`, [index]);
  await stores.elasticsearch.indices.create({ index });
  await stores.close();
}

async function addJobs(count: number): Promise<IndexQueue> {
  const redis = connectProducer(env['REDIS_URL'] ?? '', () => undefined);
  cleanUp.push(() => redis.disconnect());
  await until('Redis is connected', () => redis.status === 'ready');
  const queue = openIndexQueue(redis, env['QUEUE_PREFIX'] ?? '', () => undefined);
  await queue.addBulk(Array.from({ length: count }, () => ({ name: INDEX_QUEUE, data: { contentIds: [1] } })));
  return queue;
}

async function isDone(queue: IndexQueue): Promise<boolean> {
  return (await queue.getJobCountByTypes('waiting', 'active')) === 0;
}

async function expectToStayLive({ watch }: Part): Promise<void> {
  for (const deadline = Date.now() + LONGER_THAN_WEDGED_MS; Date.now() < deadline; await delay(100)) expect(watch.isLive()).toBe(true);
}

it('a worker whose connections to Redis are dead in silence, while jobs wait and all stores answer, is seen as wedged', async () => {
  const link = await proxyBefore('REDIS_URL');
  const part = startPart({ workerRedis: link.url });
  const queue = await addJobs(3);
  await until('the jobs are done', () => isDone(queue));
  expect(part.watch.isLive()).toBe(true);
  link.silence();
  await addJobs(3);
  await until('it is seen', () => !part.watch.isLive());
});

it('a job that never ends, while nothing else waits, is seen as a wedged process', () => {
  const { watch } = startPart();
  watch.jobStarted();
  return until('it is seen', () => !watch.isLive());
});

describe('no restart could help, so it stays live', () => {
  it('while there is nothing to do', async () => {
    await expectToStayLive(startPart());
  });

  it('while it works', async () => {
    const part = startPart();
    for (let round = 0; round < LONGER_THAN_WEDGED_MS / 500; round++) {
      await addJobs(2);
      await delay(500);
      expect(part.watch.isLive()).toBe(true);
    }
  });

  it.each(['DATABASE_URL', 'ELASTICSEARCH_URL', 'REDIS_URL'])(
    'while what is behind %s hangs in the middle of work, however long',
    async (store) => {
      const link = await proxyBefore(store);
      const part = startPart({ [store]: link.url });
      const queue = await addJobs(1);
      await until('the job is done', () => isDone(queue));
      await addChange();
      link.silence();
      await addJobs(3);
      await expectToStayLive(part);
    },
  );

  it.each([
    ['is full', (redis: Redis, is: boolean) => redis.config('SET', 'maxmemory', is ? '1' : '0')],
    ['has become a replica', (redis: Redis, is: boolean) => (is ? redis.replicaof('127.0.0.1', '1') : redis.replicaof('NO', 'ONE'))],
  ])('while Redis %s: it answers everything but takes no writes, and is not asked without a pause', async (_, refuse) => {
    const { redis, url } = await startRedis();
    await until('it is connected', () => redis.status === 'ready');
    await openIndexQueue(redis, env['QUEUE_PREFIX'] ?? '', () => undefined).addBulk([{ name: INDEX_QUEUE, data: { contentIds: [1] } }]);
    await refuse(redis, true);
    const part = startPart({ REDIS_URL: url });
    await expectToStayLive(part);
    const [, commands] = /^total_commands_processed:(\d+)/m.exec(await redis.info('stats')) ?? [];
    expect(Number(commands)).toBeLessThan(5_000);
    await refuse(redis, false);
    await part.worker.stop();
  });

  it('while somebody has paused the queue', async () => {
    const part = startPart();
    await (await addJobs(0)).pause();
    await addJobs(3);
    await expectToStayLive(part);
  });
});

async function startRedis(): Promise<{ redis: Redis; url: string }> {
  const [port = 0] = await freePorts(1);
  const server = redisServer({ dataDir: await dataFolder('redis-'), port, as: serverAccount() });
  await server.start();
  const redis = connectProducer(server.url, () => undefined);
  cleanUp.push(
    () => server.stop(),
    () => redis.disconnect(),
  );
  return { redis, url: server.url };
}

async function proxyBefore(store: string): Promise<ChaosProxy> {
  const proxy = await ChaosProxy.before(env[store] ?? '');
  cleanUp.push(() => proxy.close());
  return proxy;
}
