import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { INDEX_QUEUE } from '@ugc/shared/contracts/index-queue';
import { Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startCluster } from '../../support/cluster/cluster.ts';
import { rounds } from '../../support/jest/fault-repeats.ts';
import { forAllTests } from '../../support/jest/for-all-tests.ts';
import { long, rows, runs } from '../../support/jest/long.ts';
import { CLAIMED, countOutbox } from '../../support/database/outbox.ts';
import { expectNothingLost } from '../../support/cluster/oracle.ts';
import { withRedis } from '../../support/servers/redis-admin.ts';
import { insertItems } from '../../support/database/insert-items.ts';
import { until } from '../../support/jest/until.ts';
import { promisedUploadMs, Uploads } from '../../support/cluster/uploads.ts';

/** Guaranteed by the README. */
const RESUMED_WITHIN_MS = 5_000;
/** Connections that lost packets are detected only by a timeout. */
const RESUMED_WITHIN_MS_AFTER_SILENCE = 20_000;
const WIPED_INDEXED_WITHIN_MS = 60_000;

const OUTAGE_MS = Number(process.env['FAULT_OUTAGE_SECONDS'] ?? runs(10, 20)) * 1_000;

/** Limits that are never reached, so that requests are counted in Redis as in production. */
const COUNTING = Object.fromEntries(['WRITES', 'LISTS', 'READS'].map((kind) => [`RATE_LIMIT_${kind}_PER_MINUTE`, '1000000']));

const cluster = forAllTests(() => startCluster({ redis: true, proxied: ['redis'] }, COUNTING));
let uploads: Uploads;
let promisedMs: number;
let earlier: number;
beforeAll(async () => {
  earlier = await cluster.client.upload();
  promisedMs = await promisedUploadMs(cluster.client);
});
beforeEach(() => void (uploads = new Uploads()));

describe('uploads, lists and reads succeed, and uploads are indexed soon after the recovery, when Redis', () => {
  it.each(rows(1, [OUTAGE_MS, 3_000]))('is killed and restarted after %s ms', async (outageMs) => {
    await cluster.redis?.kill();
    await expectRequestsSucceed(`killed ${outageMs}`, outageMs);
    await expectResumedAfter(() => cluster.redis?.start());
  });

  it(`is suspended by SIGSTOP for ${OUTAGE_MS / 2} ms`, async () => {
    cluster.redis?.signal('SIGSTOP');
    await expectRequestsSucceed('hung', OUTAGE_MS / 2);
    await expectResumedAfter(() => cluster.redis?.signal('SIGCONT'));
  });

  long.it('is down while API and indexer start', async () => {
    await stopServices();
    await cluster.redis?.kill();
    await startServices();
    await expectRequestsSucceed('no Redis yet', 2_000);
    expect((await cluster.client.get('/health/ready')).body).toMatchObject({ status: 'degraded', stores: { redis: 'down' } });
    await expectResumedAfter(() => cluster.redis?.start());
  });

  it('accepts connections but sends nothing while API and indexer start', async () => {
    await stopServices();
    cluster.proxies.redis?.silence();
    await startServices();
    await expectRequestsSucceed('silent at first', 5_000);
    await expectResumedAfter(() => cluster.proxies.redis?.restore(), RESUMED_WITHIN_MS_AFTER_SILENCE);
  });

  it('is behind a network that drops all packets', async () => {
    cluster.proxies.redis?.silence();
    await expectRequestsSucceed('discarded', 10_000);
    await expectResumedAfter(() => cluster.proxies.redis?.restore(), RESUMED_WITHIN_MS_AFTER_SILENCE);
  });

  long.it('resets every connection of its clients', async () => {
    cluster.proxies.redis?.reset();
    await expectRequestsSucceed('reset', 5_000);
    await expectResumedAfter(() => cluster.proxies.redis?.restore());
  });

  long.it('responds with a delay of 300 ms', async () => {
    cluster.proxies.redis?.delay(300);
    await expectRequestsSucceed('late', 5_000);
    await expectResumedAfter(() => cluster.proxies.redis?.restore());
  });

  it('has reached its memory limit', async () => {
    await asAdmin((redis) => redis.config('SET', 'maxmemory', '1mb'));
    await expectRequestsSucceed('full', 5_000);
    await expectResumedAfter(() => asAdmin((redis) => redis.config('SET', 'maxmemory', '0')));
  });

  long.it('rejects writes because it is a replica', async () => {
    await asAdmin((redis) => redis.replicaof('127.0.0.1', '1'));
    await expectRequestsSucceed('read-only', 5_000);
    await expectResumedAfter(() => asAdmin((redis) => redis.replicaof('NO', 'ONE')));
  });

  long.it('pauses, loses its scripts and disconnects its clients', async () => {
    for (const round of rounds()) {
      await asAdmin((redis) => redis.call('CLIENT', 'PAUSE', '3000'));
      await expectRequestsSucceed(`paused ${round}`, 1_000);
      await expectResumedAfter(async () => {
        await asAdmin((redis) => redis.script('FLUSH'));
        await asAdmin((redis) => redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'));
      });
    }
  });
});

describe('all pending changes are indexed within a minute when Redis', () => {
  it('is flushed repeatedly while jobs are waiting and active', async () => {
    for (const round of rounds()) {
      await insertItems(cluster.database, { count: 2_000, prefix: 'backlog' });
      await until('jobs are waiting or active', async () => (await claimedRows()) > 0);
      await asAdmin((redis) => redis.flushall());
      await expectRequestsSucceed(`flushed ${round}`, 1_000);
    }
    await expectIndexedWithin(WIPED_INDEXED_WITHIN_MS);
  });

  it('restarts without its data', async () => {
    await cluster.indexer.kill();
    await uploads.sendMany(cluster.client, 'emptied', 40);
    await until('they are claimed', async () => (await claimedRows()) === (await pendingRows()));
    await cluster.redis?.kill();
    await rm(join(cluster.redisData, 'appendonlydir'), { recursive: true });
    await cluster.redis?.start();
    const backAt = performance.now();
    await cluster.indexer.start();
    await expectIndexedWithin(WIPED_INDEXED_WITHIN_MS, backAt);
  });

  long.it('contains a failed job that was kept', async () => {
    await cluster.indexer.kill();
    await uploads.sendMany(cluster.client, 'failed and kept', 1);
    await failAndKeepJob();
    await cluster.indexer.start();
    await expectIndexedWithin(WIPED_INDEXED_WITHIN_MS);
  });
});

/** Uploads without a pause during the outage, then expects that a list and a read succeed. */
async function expectRequestsSucceed(prefix: string, outageMs: number): Promise<void> {
  await uploads.sendDuring(cluster.client, prefix, delay(outageMs));
  expect((await cluster.client.list()).status).toBe(200);
  expect((await cluster.client.get(`/api/content/${earlier}`)).status).toBe(200);
}

async function expectResumedAfter(restore: () => unknown, withinMs = RESUMED_WITHIN_MS): Promise<void> {
  const waiting = await pendingRows();
  expect(waiting).toBeGreaterThan(0);
  await restore();
  const backAt = performance.now();
  await until('indexing resumes', async () => (await pendingRows()) < waiting, 60_000);
  expect(performance.now() - backAt).toBeLessThanOrEqual(withinMs);
  expectUploadsInTime();
  await expectNothingLost(cluster, uploads);
}

async function expectIndexedWithin(withinMs: number, wipedAt = performance.now()): Promise<void> {
  await until('all changes are indexed', async () => (await pendingRows()) === 0, 2 * withinMs);
  expect(performance.now() - wipedAt).toBeLessThanOrEqual(withinMs);
  expectUploadsInTime();
  await expectNothingLost(cluster, uploads);
}

function expectUploadsInTime(): void {
  expect(uploads.accepted.size).toBe(uploads.durationsMs.length);
  expect(uploads.p99Ms()).toBeLessThanOrEqual(promisedMs);
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
