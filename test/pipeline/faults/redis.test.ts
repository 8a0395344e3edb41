import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { INDEX_QUEUE } from '@ugc/shared/index-queue';
import { Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startCluster, type Cluster } from '../../support/cluster.ts';
import { rounds } from '../../support/fault-repeats.ts';
import { expectNothingLost } from '../../support/oracle.ts';
import { withRedis } from '../../support/redis-admin.ts';
import { insertItems } from '../../support/insert-items.ts';
import { until } from '../../support/until.ts';
import { Uploads } from '../../support/uploads.ts';

/** What the README promises. */
const UPLOAD_P99_MS = 300;
const RESUMED_WITHIN_MS = 5_000;
const WIPED_INDEXED_WITHIN_MS = 60_000;

let cluster: Cluster;
let uploads: Uploads;
beforeAll(async () => {
  cluster = await startCluster({ redis: true, proxied: ['redis'] });
});
beforeEach(() => void (uploads = new Uploads()));
afterAll(() => cluster.stop());

describe('uploads go on, and are indexed soon after Redis is back, when it', () => {
  it.each([3_000, 20_000])('is killed for %s ms', async (outageMs) => {
    await cluster.redis?.kill();
    await uploads.sendDuring(cluster.client, `killed ${outageMs}`, delay(outageMs));
    await cluster.redis?.start();
    await expectResumed();
  });

  it('hangs for 10 s', async () => {
    cluster.redis?.signal('SIGSTOP');
    await uploads.sendDuring(cluster.client, 'hung', delay(10_000));
    cluster.redis?.signal('SIGCONT');
    await expectResumed();
  });

  it('is away while API and indexer start', async () => {
    await stopServices();
    await cluster.redis?.kill();
    await startServices();
    await uploads.sendMany(cluster.client, 'no Redis yet', 50);
    expect((await cluster.client.get('/health/ready')).body).toMatchObject({ status: 'degraded', stores: { redis: 'down' } });
    await cluster.redis?.start();
    await expectResumed();
  });

  it('accepts connections but says nothing while API and indexer start', async () => {
    await stopServices();
    cluster.proxies.redis?.silence();
    await startServices();
    await uploads.sendDuring(cluster.client, 'silent at first', delay(5_000));
    cluster.proxies.redis?.heal();
    // What has lost bytes stays silent: both have to find out by themselves.
    await expectResumed(60_000);
  });

  it('vanishes behind a network that swallows everything', async () => {
    cluster.proxies.redis?.silence();
    await uploads.sendDuring(cluster.client, 'swallowed', delay(10_000));
    cluster.proxies.redis?.heal();
    await expectResumed(60_000);
  });

  it('resets every connection', async () => {
    cluster.proxies.redis?.reset();
    await uploads.sendDuring(cluster.client, 'reset', delay(5_000));
    cluster.proxies.redis?.heal();
    await expectResumed();
  });

  it('answers late', async () => {
    cluster.proxies.redis?.delay(300);
    await uploads.sendDuring(cluster.client, 'late', delay(5_000));
    cluster.proxies.redis?.heal();
    await expectResumed();
  });

  it('is full', async () => {
    await asAdmin((redis) => redis.config('SET', 'maxmemory', '1mb'));
    await uploads.sendDuring(cluster.client, 'full', delay(5_000));
    expect(await cluster.database.query('select 1 from index_outbox')).not.toEqual([]);
    await asAdmin((redis) => redis.config('SET', 'maxmemory', '0'));
    await expectResumed();
  });

  it('takes no writes, as a replica', async () => {
    await asAdmin((redis) => redis.replicaof('127.0.0.1', '1'));
    await uploads.sendDuring(cluster.client, 'read-only', delay(5_000));
    await asAdmin((redis) => redis.replicaof('NO', 'ONE'));
    await expectResumed();
  });

  it('pauses, forgets its scripts and drops its clients', async () => {
    for (const round of rounds()) {
      await asAdmin((redis) => redis.call('CLIENT', 'PAUSE', '3000'));
      await uploads.sendMany(cluster.client, `paused ${round}`, 20);
      await asAdmin((redis) => redis.script('FLUSH'));
      await asAdmin((redis) => redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'));
    }
    await expectResumed();
  });
});

describe('everything pending is indexed within a minute when Redis', () => {
  it('is flushed again and again while jobs wait and run', async () => {
    await insertItems(cluster.database, { count: 1_000, prefix: 'backlog' });
    for (const round of rounds()) {
      await until('jobs wait', async () => (await claimedRows()) > 0 || (await pendingRows()) === 0);
      await uploads.sendMany(cluster.client, `flushed ${round}`, 10);
      await asAdmin((redis) => redis.flushall());
    }
    await expectIndexedWithin(WIPED_INDEXED_WITHIN_MS);
  });

  it('comes back empty', async () => {
    await cluster.indexer.kill();
    await uploads.sendMany(cluster.client, 'emptied', 20);
    await until('they are handed out', async () => (await claimedRows()) === (await pendingRows()));
    await cluster.redis?.kill();
    await rm(join(cluster.redisData, 'appendonlydir'), { recursive: true });
    await cluster.redis?.start();
    await cluster.indexer.start();
    await expectIndexedWithin(WIPED_INDEXED_WITHIN_MS);
  });

  it('keeps the failed job of an item', async () => {
    await cluster.indexer.kill();
    await uploads.sendMany(cluster.client, 'failed and kept', 1);
    await failAndKeepJob();
    await cluster.indexer.start();
    await expectIndexedWithin(WIPED_INDEXED_WITHIN_MS);
  });
});

async function expectResumed(withinMs = RESUMED_WITHIN_MS): Promise<void> {
  const backAt = performance.now();
  const waiting = await pendingRows();
  await until('indexing resumes', async () => (await pendingRows()) < waiting || waiting === 0, 60_000);
  expect(performance.now() - backAt).toBeLessThanOrEqual(withinMs);
  expect(uploads.taken.size).toBe(uploads.durationsMs.length);
  expect(uploads.p99Ms()).toBeLessThanOrEqual(UPLOAD_P99_MS);
  await expectNothingLost(cluster, uploads);
}

async function expectIndexedWithin(withinMs: number): Promise<void> {
  const wipedAt = performance.now();
  await until('everything is indexed', async () => (await pendingRows()) === 0, 2 * withinMs);
  expect(performance.now() - wipedAt).toBeLessThanOrEqual(withinMs);
  await expectNothingLost(cluster, uploads);
}

/** Lets a worker that keeps failed jobs run the waiting one into an error. */
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

async function pendingRows(): Promise<number> {
  return (await cluster.database.query('select 1 from index_outbox')).length;
}

async function claimedRows(): Promise<number> {
  return (await cluster.database.query('select 1 from index_outbox where job_id is not null')).length;
}
