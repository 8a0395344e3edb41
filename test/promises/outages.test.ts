import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { setTimeout as delay } from 'node:timers/promises';
import { startCluster } from '../support/cluster/cluster.ts';
import { requestEveryEndpoint, promisedUploadMs, Uploads } from '../support/cluster/uploads.ts';
import { insertItems } from '../support/database/insert-items.ts';
import { CLAIMED, countOutbox } from '../support/database/outbox.ts';
import { takeAllConnections } from '../support/database/sessions.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { long, runs } from '../support/jest/long.ts';
import { msOf, promisedMs } from '../support/jest/promised.ts';
import { until } from '../support/jest/until.ts';
import { startSemanticService } from '../support/processes/semantic-service.ts';
import { withRedis } from '../support/servers/redis.ts';

const RESUMED_WITHIN_MS = 5_000;
/** Connections that lost packets are detected only by a timeout. */
const RESUMED_WITHIN_MS_AFTER_SILENCE = 20_000;
const WIPED_INDEXED_WITHIN_MS = 60_000;
const LISTS_FAIL_WITHIN_MS = 4_000;
const RESPONSE_WITHIN_MS = 3_000;

const OUTAGE_MS = Number(process.env['FAULT_OUTAGE_SECONDS'] ?? runs(5, 10)) * 1_000;
/** Without pauses, the uploads would take the processor time of what they measure. */
const BETWEEN_UPLOADS_MS = 20;

describe('while a store is unavailable', () => {
  /** Limits that are never reached, so that requests are counted in Redis as in production. */
  const counting = Object.fromEntries(['WRITES', 'LISTS', 'READS'].map((kind) => [`RATE_LIMIT_${kind}_PER_MINUTE`, '1000000']));
  const cluster = forAllTests(() =>
    startCluster(
      { redis: true, postgres: { maxConnections: 40 }, elasticsearch: true, proxied: ['redis', 'postgres', 'elasticsearch'] },
      { LIST_TIMEOUT_MS: '3000', ...counting },
    ),
  );
  let uploads: Uploads;
  let uploadMs: number;
  beforeEach(async () => {
    uploads = new Uploads();
    uploadMs = await promisedUploadMs(cluster.client);
    await cluster.indexed();
  });

  // Also if a test fails: it is repeated.
  afterEach(async () => {
    for (const proxy of Object.values(cluster.proxies)) proxy?.restore();
    for (const server of [cluster.redis, cluster.postgres, cluster.elasticsearchServer]) {
      if (server?.pid() === undefined) await server?.start();
      else server.signal('SIGCONT');
    }
    await asAdmin((redis) => redis.config('SET', 'maxmemory', '0'));
    await asAdmin((redis) => redis.replicaof('NO', 'ONE'));
    await until('uploads succeed', async () => (await cluster.client.tryUpload()).status === 201);
    await until('lists succeed', async () => (await cluster.client.list()).status === 200);
  });

  const pending = () => countOutbox(cluster.database);
  const asAdmin = (work: (redis: Redis) => Promise<unknown>) => withRedis(cluster.redis?.url, work);
  const expectUploadsDuring = async (work: Promise<unknown>): Promise<void> => {
    await uploads.sendDuring(cluster.client, 'during the outage', work, BETWEEN_UPLOADS_MS);
    expect(uploads.statusesBut(201)).toEqual([]);
    expect(uploads.p99Ms()).toBeLessThanOrEqual(uploadMs);
  };

  describe('uploads get a 201 within 300 ms (p99), and indexing resumes in time, when Redis', () => {
    let indexedMs: number;
    beforeEach(async () => {
      await cluster.client.upload();
      indexedMs = await msOf(cluster.indexed());
    });
    const expectResumed = async (restore: () => unknown, withinMs = RESUMED_WITHIN_MS): Promise<void> => {
      await expectUploadsDuring(delay(OUTAGE_MS));
      const waiting = await pending();
      expect(waiting).toBeGreaterThan(0);
      await restore();
      const resumed = until('indexing resumes', async () => (await pending()) < waiting);
      expect(await msOf(resumed)).toBeLessThanOrEqual(promisedMs(withinMs, indexedMs));
    };

    it('is killed and restarted', async () => {
      await cluster.redis?.kill();
      await expectResumed(() => cluster.redis?.start());
    });

    it('is behind a network that drops all packets', async () => {
      cluster.proxies.redis?.silence();
      await expectResumed(() => cluster.proxies.redis?.restore(), RESUMED_WITHIN_MS_AFTER_SILENCE);
    });

    long.it('is suspended by SIGSTOP', async () => {
      cluster.redis?.signal('SIGSTOP');
      await expectResumed(() => cluster.redis?.signal('SIGCONT'));
    });

    long.it('resets every connection of its clients', async () => {
      cluster.proxies.redis?.reset();
      await expectResumed(() => cluster.proxies.redis?.restore());
    });

    long.it('has reached its memory limit', async () => {
      await asAdmin((redis) => redis.config('SET', 'maxmemory', '1mb'));
      await expectResumed(() => asAdmin((redis) => redis.config('SET', 'maxmemory', '0')));
    });

    long.it('rejects writes because it is a replica', async () => {
      await asAdmin((redis) => redis.replicaof('127.0.0.1', '1'));
      await expectResumed(() => asAdmin((redis) => redis.replicaof('NO', 'ONE')));
    });

    long.it('accepts connections but sends nothing while API and indexer start', async () => {
      await Promise.all([cluster.api.kill(), cluster.indexer.kill()]);
      cluster.proxies.redis?.silence();
      await Promise.all([cluster.api.start(), cluster.indexer.start()]);
      await expectResumed(() => cluster.proxies.redis?.restore(), RESUMED_WITHIN_MS_AFTER_SILENCE);
    });

    long.it('responds with a delay of 300 ms', async () => {
      cluster.proxies.redis?.delay(300);
      await expectUploadsDuring(delay(OUTAGE_MS));
    });
  });

  it('everything is indexed within a minute after Redis was flushed while jobs were waiting', async () => {
    const count = runs(500, 2_000);
    await insertItems(cluster.database, { count, prefix: 'without a fault' });
    const allIndexed = () => until('all changes are indexed', async () => (await pending()) === 0);
    const withoutFaultMs = await msOf(allIndexed());
    await insertItems(cluster.database, { count, prefix: 'backlog' });
    await until('jobs are waiting or active', async () => (await countOutbox(cluster.database, CLAIMED)) > 0);
    await asAdmin((redis) => redis.flushall());
    expect(await msOf(allIndexed())).toBeLessThanOrEqual(promisedMs(WIPED_INDEXED_WITHIN_MS, withoutFaultMs));
  });

  describe('uploads get a 201 within 300 ms (p99), and lists a 500 within 4 s, when Elasticsearch', () => {
    const list = () => Promise.all(Array.from({ length: 20 }, (_, n) => cluster.client.list({ prompt: `p${n}` })));
    let withoutFaultMs: number;
    beforeEach(async () => {
      withoutFaultMs = await msOf(list());
    });
    const expectListsFailInTime = async (): Promise<void> => {
      const responses = list();
      expect(await msOf(responses)).toBeLessThanOrEqual(promisedMs(LISTS_FAIL_WITHIN_MS, withoutFaultMs));
      expect((await responses).filter(({ status }) => status !== 500)).toEqual([]);
    };

    it('is suspended by SIGSTOP', async () => {
      cluster.elasticsearchServer?.signal('SIGSTOP');
      await expectUploadsDuring(expectListsFailInTime());
    });

    long.it('is down after it was killed', async () => {
      await cluster.elasticsearchServer?.kill();
      await expectUploadsDuring(Promise.all([expectListsFailInTime(), delay(OUTAGE_MS)]));
    });

    long.it.each(['silence', 'reset'] as const)('is behind a network with the fault: %s', async (fault) => {
      cluster.proxies.elasticsearch?.[fault]();
      await expectUploadsDuring(expectListsFailInTime());
    });
  });

  describe('every request gets a response within 3 s when PostgreSQL', () => {
    let id: number;
    let withoutFaultMs: number;
    beforeEach(async () => {
      ({ slowestMs: withoutFaultMs } = await requestEveryEndpoint(cluster.client, await cluster.client.upload()));
      id = await cluster.client.upload();
    });
    const expectResponsesInTime = async (): Promise<void> => {
      const { slowestMs } = await requestEveryEndpoint(cluster.client, id);
      expect(slowestMs).toBeLessThanOrEqual(promisedMs(RESPONSE_WITHIN_MS, withoutFaultMs));
    };

    it('is suspended by SIGSTOP', async () => {
      cluster.postgres?.signal('SIGSTOP');
      await expectResponsesInTime();
    });

    it('is down after it was killed', async () => {
      await cluster.postgres?.kill();
      await expectResponsesInTime();
    });

    it('has no free connections left', async () => {
      const release = await takeAllConnections(cluster.env['DATABASE_URL']);
      await expectResponsesInTime().finally(release);
    });

    long.it('is behind a network that drops all packets', async () => {
      cluster.proxies.postgres?.silence();
      await expectResponsesInTime();
    });
  });
});

describe('while the embedding service hangs', () => {
  const service = forAllTests(() => startSemanticService());

  it('uploads get a 201 within 300 ms (p99)', async () => {
    const uploadMs = await promisedUploadMs(service.client);
    service.embeddings.behaviour = { hangs: true };
    const uploads = new Uploads();
    await uploads.sendMany(service.client, 'hung', 200);
    expect(uploads.statusesBut(201)).toEqual([]);
    expect(uploads.p99Ms()).toBeLessThanOrEqual(uploadMs);
    service.embeddings.behaviour = {};
    service.embeddings.closeConnections();
  });
});
