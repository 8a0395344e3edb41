import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { INDEX_QUEUE } from '@ugc/shared/contracts/index-queue';
import { Queue } from 'bullmq';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { startCluster, type Cluster } from '../../support/cluster/cluster.ts';
import { rows } from '../../support/jest/long.ts';
import { countOutbox } from '../../support/database/outbox.ts';
import { expectNothingLost } from '../../support/cluster/oracle.ts';
import { withRedis } from '../../support/servers/redis.ts';
import { insertItems } from '../../support/database/insert-items.ts';
import { until } from '../../support/jest/until.ts';

/** Redis and process memory stay bounded for any number of pending changes. More than fit in the jobs that may wait. */
const BACKLOG = Number(process.env['FAULT_BACKLOG'] ?? 28_000);
const MAX_JOBS = 60;
const MAX_REDIS_MB = 8;
const MAX_PROCESS_MB = 400;

let cluster: Cluster;
let queue: Queue;
beforeAll(async () => {
  cluster = await startCluster({ redis: true, elasticsearch: true });
  queue = new Queue(INDEX_QUEUE, { connection: { url: cluster.env['REDIS_URL'] ?? '' }, prefix: cluster.env['QUEUE_PREFIX'] ?? '' });
});
afterAll(async () => {
  await queue.close();
  await cluster.stop();
});

it.each(rows(1, ['elasticsearchServer', 'indexer'] as const))(
  `Redis and process memory stay bounded while ${BACKLOG} changes wait for the %s, and all are indexed after its restart`,
  async (missing) => {
    await cluster[missing]?.kill();
    await insertItems(cluster.database, { count: BACKLOG, prefix: 'backlog' });
    const max = { jobs: 0, redisMb: 0, apiMb: 0, indexerMb: 0 };
    const measure = async (): Promise<void> => {
      max.jobs = Math.max(max.jobs, await jobsInRedis());
      max.redisMb = Math.max(max.redisMb, await redisMb());
      max.apiMb = Math.max(max.apiMb, await residentMb(cluster.api.pid()));
      max.indexerMb = Math.max(max.indexerMb, await residentMb(cluster.indexer.pid()));
      // Without a pause, the measurements would slow down the services.
      await delay(100);
    };
    const fullSince = { time: 0 };
    await until('the relay has backed off for 5 s', async () => {
      await measure();
      if ((await jobsInRedis()) < 50) return false;
      fullSince.time ||= performance.now();
      return performance.now() - fullSince.time > 5_000;
    });
    expect((await cluster.client.tryUpload()).status).toBe(201);

    await cluster[missing]?.start();
    await until(
      'the backlog is indexed',
      async () => {
        await measure();
        return (await countOutbox(cluster.database)) === 0;
      },
      BACKLOG * 40,
    );
    expect(max.jobs).toBeLessThanOrEqual(MAX_JOBS);
    expect(max.redisMb).toBeLessThanOrEqual(MAX_REDIS_MB);
    expect(max.apiMb).toBeLessThanOrEqual(MAX_PROCESS_MB);
    expect(max.indexerMb).toBeLessThanOrEqual(MAX_PROCESS_MB);
    await expectNothingLost(cluster);
  },
  BACKLOG * 80,
);

async function jobsInRedis(): Promise<number> {
  return queue.getJobCountByTypes('wait', 'prioritized', 'active', 'delayed');
}

async function redisMb(): Promise<number> {
  const memory = await withRedis(cluster.redis?.url, (redis) => redis.info('memory'));
  return Number(/^used_memory:(\d+)/m.exec(memory)?.[1]) / 1_048_576;
}

/** @returns 0 if the process does not run */
async function residentMb(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1_024;
}
