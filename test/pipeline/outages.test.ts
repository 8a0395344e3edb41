import { afterEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { startCluster, type Cluster } from '../support/cluster.ts';
import { expectNothingLost, named, uploadMany } from '../support/oracle.ts';
import { until } from '../support/until.ts';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

let cluster: Cluster;
afterEach(() => cluster.stop());

describe('an upload answered 201 becomes searchable', () => {
  it('when Redis is killed during uploads and comes back', async () => {
    cluster = await startCluster({ redis: true });
    const before = await uploadMany(cluster.client, named('before', 5));
    await cluster.redis?.kill();
    const during = await uploadMany(cluster.client, named('during', 20));
    expect(during.size).toBe(20);
    await cluster.redis?.start();
    await expectNothingLost(cluster, new Map([...before, ...during]));
  }, 120_000);

  it('when Redis loses everything while jobs wait in it', async () => {
    cluster = await startCluster({ redis: true });
    await cluster.indexer.kill();
    const uploaded = await uploadMany(cluster.client, named('wiped', 20));
    await until(
      'all changes are claimed',
      async () => (await cluster.database.query('select 1 from index_outbox where job_id is null')).length === 0,
    );
    await cluster.redis?.kill();
    await cluster.redis?.start();
    await flush(cluster.redis?.url ?? '');
    await cluster.indexer.start();
    await expectNothingLost(cluster, uploaded);
  }, 120_000);

  it('when the indexer is killed in the middle of a batch and started again', async () => {
    cluster = await startCluster();
    const uploads = uploadMany(cluster.client, named('batch', 150));
    await until('the indexer is at work', async () => {
      const [row] = await cluster.database.query<{ claimed: number }>(
        'select count(*) as claimed from index_outbox where job_id is not null',
      );
      return (row?.claimed ?? 0) > 0;
    });
    await cluster.indexer.kill();
    const uploaded = await uploads;
    expect(uploaded.size).toBe(150);
    await cluster.indexer.start();
    await expectNothingLost(cluster, uploaded);
  }, 120_000);

  it('when Elasticsearch is stopped during uploads and comes back', async () => {
    cluster = await startCluster({ elasticsearch: true });
    const before = await uploadMany(cluster.client, named('before', 5));
    await cluster.elasticsearchServer?.kill();
    const during = await uploadMany(cluster.client, named('during', 20));
    expect(during.size).toBe(20);
    expect((await cluster.client.list()).status).toBe(500);
    expect((await cluster.client.get('/health/ready')).body.stores.elasticsearch).toBe('down');
    await cluster.elasticsearchServer?.start();
    await expectNothingLost(cluster, new Map([...before, ...during]));
  }, 180_000);

  it('when Elasticsearch comes back without its data, once the index is filled again', async () => {
    cluster = await startCluster({ elasticsearch: true });
    const before = await uploadMany(cluster.client, named('before', 20));
    await cluster.indexed();
    await cluster.elasticsearchServer?.kill();
    const during = await uploadMany(cluster.client, named('during', 5));
    for (const entry of await readdir(cluster.elasticsearchData)) await rm(join(cluster.elasticsearchData, entry), { recursive: true });
    await cluster.elasticsearchServer?.start();
    await until('lists answer again', async () => {
      const { status, body } = await cluster.client.list({ size: 1 });
      // From the first answer on, nothing that was searchable is missing.
      if (status === 200) expect(body.totalElements).toBeGreaterThanOrEqual(before.size);
      return status === 200;
    });
    await expectNothingLost(cluster, new Map([...before, ...during]));
  }, 180_000);

  it('when the API is killed again and again while it uploads and hands out jobs', async () => {
    cluster = await startCluster();
    const uploaded = new Map<number, string>();
    for (let round = 0; round < 3; round++) {
      const uploading = uploadUntilGone(`round ${round}`, uploaded);
      await until('something was uploaded', () => [...uploaded.values()].some((name) => name.startsWith(`round ${round} `)));
      await cluster.api.kill();
      await uploading;
      await cluster.api.start();
    }
    await expectNothingLost(cluster, uploaded);
  }, 120_000);
});

async function uploadUntilGone(prefix: string, uploaded: Map<number, string>): Promise<void> {
  for (let position = 0; ; position++) {
    const name = `${prefix} ${position}`;
    const answer = await cluster.client.tryUpload({ name }).catch(() => undefined);
    if (!answer) return;
    if (answer.status === 201) uploaded.set(answer.body.content_id, name);
  }
}

async function flush(redisUrl: string): Promise<void> {
  const redis = new Redis(redisUrl);
  await redis.flushall();
  redis.disconnect();
}
