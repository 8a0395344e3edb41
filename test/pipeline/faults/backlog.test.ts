import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { INDEX_QUEUE } from '@ugc/shared/contracts/index-queue';
import { Queue } from 'bullmq';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { startCluster, type Cluster } from '../../support/cluster.ts';
import { countOutbox } from '../../support/outbox.ts';
import { expectNothingLost } from '../../support/oracle.ts';
import { withRedis } from '../../support/redis-admin.ts';
import { insertItems } from '../../support/insert-items.ts';
import { until } from '../../support/until.ts';

/** Any number of pending changes is the same to Redis and to the memory of API and indexer. */
const BACKLOG = Number(process.env['FAULT_BACKLOG'] ?? 12_000);
const MOST_JOBS = 60;
const MOST_REDIS_MB = 8;
const MOST_PROCESS_MB = 400;

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

it.each(['indexer', 'elasticsearchServer'] as const)(
  `${BACKLOG} changes while there is no %s fill neither Redis nor memory, and are worked off when it is back`,
  async (missing) => {
    await cluster[missing]?.kill();
    await insertItems(cluster.database, { count: BACKLOG, prefix: 'backlog' });
    const most = { jobs: 0, redisMb: 0, apiMb: 0, indexerMb: 0 };
    const look = async (): Promise<void> => {
      most.jobs = Math.max(most.jobs, await jobsInRedis());
      most.redisMb = Math.max(most.redisMb, await redisMb());
      most.apiMb = Math.max(most.apiMb, await residentMb(cluster.api.pid()));
      most.indexerMb = Math.max(most.indexerMb, await residentMb(cluster.indexer.pid()));
      // Looking without a pause would take the time that is needed for the work.
      await delay(100);
    };
    const fullSince = { time: 0 };
    await until('the relay has held back for a while', async () => {
      await look();
      if ((await jobsInRedis()) < 50) return false;
      fullSince.time ||= performance.now();
      return performance.now() - fullSince.time > 5_000;
    });
    expect((await cluster.client.tryUpload()).status).toBe(201);

    await cluster[missing]?.start();
    await until(
      'the backlog is worked off',
      async () => {
        await look();
        return (await countOutbox(cluster.database)) === 0;
      },
      BACKLOG * 40,
    );
    expect(most.jobs).toBeLessThanOrEqual(MOST_JOBS);
    expect(most.redisMb).toBeLessThanOrEqual(MOST_REDIS_MB);
    expect(most.apiMb).toBeLessThanOrEqual(MOST_PROCESS_MB);
    expect(most.indexerMb).toBeLessThanOrEqual(MOST_PROCESS_MB);
    await expectNothingLost(cluster);
  },
  BACKLOG * 80,
);

async function jobsInRedis(): Promise<number> {
  return queue.getJobCountByTypes('wait', 'active', 'delayed');
}

async function redisMb(): Promise<number> {
  const memory = await withRedis(cluster.redis?.url, (redis) => redis.info('memory'));
  return Number(/^used_memory:(\d+)/m.exec(memory)?.[1]) / 1_048_576;
}

/** 0 for a process that does not run. */
async function residentMb(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1_024;
}
