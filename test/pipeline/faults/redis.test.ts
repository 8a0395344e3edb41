/** @store-timeout-factor 3 */
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { INDEX_QUEUE } from '@ugc/shared/contracts/index-queue';
import { Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startCluster } from '../../support/cluster/cluster.ts';
import { rounds, long, runs } from '../../support/jest/long.ts';
import { forAllTests } from '../../support/jest/for-all-tests.ts';
import { CLAIMED, countOutbox } from '../../support/database/outbox.ts';
import { expectNothingLost } from '../../support/cluster/oracle.ts';
import { withRedis } from '../../support/servers/redis.ts';
import { insertItems } from '../../support/database/insert-items.ts';
import { until } from '../../support/jest/until.ts';
import { Uploads } from '../../support/cluster/uploads.ts';

/** Uploads during an outage. */
const UPLOADS = 20;

/** Limits that are never reached, so that requests are counted in Redis as in production. */
const COUNTING = Object.fromEntries(['WRITES', 'LISTS', 'READS'].map((kind) => [`RATE_LIMIT_${kind}_PER_MINUTE`, '1000000']));

const cluster = forAllTests(() => startCluster({ redis: true, proxied: ['redis'] }, COUNTING));
let uploads: Uploads;
let earlier: number;
beforeAll(async () => {
  earlier = await cluster.client.upload();
});
beforeEach(() => void (uploads = new Uploads()));

describe('uploads, lists and reads succeed, and uploads are indexed after the recovery, when Redis', () => {
  it('is killed and restarted', async () => {
    await cluster.redis?.kill();
    await expectRequestsSucceed('killed');
    await expectResumedAfter(() => cluster.redis?.start());
  });

  it('is suspended by SIGSTOP', async () => {
    cluster.redis?.signal('SIGSTOP');
    await expectRequestsSucceed('hung');
    await expectResumedAfter(() => cluster.redis?.signal('SIGCONT'));
  });

  long.it('is down while API and indexer start', async () => {
    await stopServices();
    await cluster.redis?.kill();
    await startServices();
    await expectRequestsSucceed('no Redis yet');
    expect((await cluster.client.get('/health/ready')).body).toMatchObject({ status: 'degraded', stores: { redis: 'down' } });
    await expectResumedAfter(() => cluster.redis?.start());
  });

  long.it('accepts connections but sends nothing while API and indexer start', async () => {
    await stopServices();
    cluster.proxies.redis?.silence();
    await startServices();
    await expectRequestsSucceed('silent at first');
    await expectResumedAfter(() => cluster.proxies.redis?.restore());
  });

  long.it('is behind a network that drops all packets', async () => {
    cluster.proxies.redis?.silence();
    await expectRequestsSucceed('discarded');
    await expectResumedAfter(() => cluster.proxies.redis?.restore());
  });

  long.it('resets every connection of its clients', async () => {
    cluster.proxies.redis?.reset();
    await expectRequestsSucceed('reset');
    await expectResumedAfter(() => cluster.proxies.redis?.restore());
  });

  long.it('responds with a delay of 300 ms', async () => {
    cluster.proxies.redis?.delay(300);
    await expectRequestsSucceed('late');
    cluster.proxies.redis?.restore();
    await expectIndexed();
  });

  it('has reached its memory limit', async () => {
    await asAdmin((redis) => redis.config('SET', 'maxmemory', '1mb'));
    await expectRequestsSucceed('full');
    await expectResumedAfter(() => asAdmin((redis) => redis.config('SET', 'maxmemory', '0')));
  });

  long.it('rejects writes because it is a replica', async () => {
    await asAdmin((redis) => redis.replicaof('127.0.0.1', '1'));
    await expectRequestsSucceed('read-only');
    await expectResumedAfter(() => asAdmin((redis) => redis.replicaof('NO', 'ONE')));
  });

  long.it('pauses, loses its scripts and disconnects its clients', async () => {
    for (const round of rounds()) {
      await asAdmin((redis) => redis.call('CLIENT', 'PAUSE', '3000'));
      await expectRequestsSucceed(`paused ${round}`);
      await asAdmin((redis) => redis.script('FLUSH'));
      await asAdmin((redis) => redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'));
      await expectIndexed();
    }
  });
});

describe('all pending changes are indexed when Redis', () => {
  it('is flushed repeatedly while jobs are waiting and active', async () => {
    for (const round of rounds()) {
      await insertItems(cluster.database, { count: runs(600, 2_000), prefix: 'backlog' });
      await until('jobs are waiting or active', async () => (await claimedRows()) > 0);
      await asAdmin((redis) => redis.flushall());
      await expectRequestsSucceed(`flushed ${round}`);
    }
    await expectIndexed();
  });

  it('restarts without its data', async () => {
    await cluster.indexer.kill();
    await uploads.sendMany(cluster.client, 'emptied', 40);
    await until('they are claimed', async () => (await claimedRows()) === (await pendingRows()));
    await cluster.redis?.kill();
    await rm(join(cluster.redisData, 'appendonlydir'), { recursive: true });
    await cluster.redis?.start();
    await cluster.indexer.start();
    await expectIndexed();
  });

  long.it('contains a failed job that was kept', async () => {
    await cluster.indexer.kill();
    await uploads.sendMany(cluster.client, 'failed and kept', 1);
    await failAndKeepJob();
    await cluster.indexer.start();
    await expectIndexed();
  });
});

/** Uploads during the outage, then expects that a list and a read succeed. */
async function expectRequestsSucceed(prefix: string): Promise<void> {
  await uploads.sendMany(cluster.client, prefix, UPLOADS);
  expect((await cluster.client.list()).status).toBe(200);
  expect((await cluster.client.get(`/api/content/${earlier}`)).status).toBe(200);
}

async function expectResumedAfter(restore: () => unknown): Promise<void> {
  expect(await pendingRows()).toBeGreaterThan(0);
  await restore();
  await expectIndexed();
}

async function expectIndexed(): Promise<void> {
  expect(uploads.statusesBut(201)).toEqual([]);
  await expectNothingLost(cluster, uploads);
}

/** Starts a worker that fails the waiting job and keeps it. */
async function failAndKeepJob(): Promise<void> {
  const failed = Promise.withResolvers<void>();
  const keepAndFail = (job: Job): Promise<never> => {
    job.opts.removeOnFail = false;
    return Promise.reject(new Error('this job fails'));
  };
  const worker = new Worker(INDEX_QUEUE, keepAndFail, {
    connection: { url: cluster.env['REDIS_URL'] ?? '' },
    prefix: cluster.env['QUEUE_PREFIX'] ?? '',
  });
  worker.on('error', () => undefined).on('failed', () => failed.resolve());
  await failed.promise;
  await worker.close();
}

async function stopServices(): Promise<void> {
  await Promise.all([cluster.api.kill(), cluster.indexer.kill()]);
}

async function startServices(): Promise<void> {
  await Promise.all([cluster.api.start(), cluster.indexer.start()]);
}

async function asAdmin(work: (redis: Redis) => Promise<unknown>): Promise<void> {
  await withRedis(cluster.redis?.url, work);
}

function pendingRows(): Promise<number> {
  return countOutbox(cluster.database);
}

function claimedRows(): Promise<number> {
  return countOutbox(cluster.database, CLAIMED);
}
