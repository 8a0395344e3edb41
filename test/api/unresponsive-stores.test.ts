/** @store-timeout-factor 1 */
import { readStatus, valueOf } from '../support/http/operations-status.ts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { scrape } from '../support/http/scrape.ts';
import { until } from '../support/jest/until.ts';
import { startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import type { Environment } from '../support/processes/environment.ts';
import { silentServer } from '../support/servers/silent-server.ts';

describe('while stores do not respond', () => {
  let silent: Awaited<ReturnType<typeof silentServer>>;
  beforeAll(async () => void (silent = await silentServer()));
  afterAll(() => silent.stop());

  // The tests mostly wait for time-outs, so they run side by side.
  it.concurrent.each([
    ['PostgreSQL', 'DATABASE_URL', 'postgresql://u:p@', ['indexing', 'rejected', 'unfinished', 'targets'], ['queue']],
    ['Redis', 'REDIS_URL', 'redis://', ['queue'], ['indexing', 'rejected', 'unfinished', 'targets']],
    ['Elasticsearch', 'ELASTICSEARCH_URL', 'http://', [], ['indexing', 'rejected', 'unfinished', 'targets', 'queue']],
  ] as const)('only the parts that need %s say so', async (store, variable, protocol, unread, read) => {
    const url = `${protocol}${silent.address}${store === 'PostgreSQL' ? '/ugc' : ''}`;
    await withApi({ [variable]: url }, async (api) => {
      let status = await readStatus(api.operationsUrl);
      const isRead = (part: (typeof read)[number]) => 'value' in status[part];
      await until('the other stores are connected', async () => {
        status = await readStatus(api.operationsUrl);
        return read.every(isRead);
      });
      expect(status.stores).toMatchObject({ [store === 'PostgreSQL' ? 'postgres' : store.toLowerCase()]: 'down' });
      for (const part of unread) expect([part, status[part]]).toEqual([part, { problem: expect.stringContaining(store) }]);
      expect(status.resources.length).toBeGreaterThan(10);
    });
  });

  it.concurrent('a target is listed without its index while Elasticsearch does not respond', () =>
    withApi({ ELASTICSEARCH_URL: `http://${silent.address}` }, async (api) => {
      await api.database.query(`insert into index_target (index_name, role) values ('known', 'search')`);
      const [target] = valueOf((await readStatus(api.operationsUrl)).targets).list;
      expect(target).toMatchObject({
        indexName: 'known',
        index: null,
        problem: expect.stringContaining('Elasticsearch did not return it'),
      });
    }),
  );
});

async function withApi(env: Environment, test: (api: ApiAlone) => Promise<void>): Promise<void> {
  const api = await startApiAlone(env);
  await test(api).finally(() => api.stop());
}

describe('while the stores do not respond', () => {
  it('a scrape omits only the metrics that could not be read', async () => {
    const silent = await silentServer();
    const hung = await startApiAlone({
      DATABASE_URL: `postgresql://u:p@${silent.address}/ugc`,
      REDIS_URL: `redis://${silent.address}`,
      ELASTICSEARCH_URL: `http://${silent.address}`,
    });
    const metrics = await scrape(hung.operationsUrl);
    const absent = ['ugc_outbox_pending_changes', 'ugc_outbox_oldest_pending_seconds', 'ugc_queue_waiting_jobs', 'ugc_indexers_wanted'];
    for (const name of absent) expect(metrics.has(name)).toBe(false);
    expect(['ugc_postgres_up', 'ugc_redis_up', 'ugc_elasticsearch_up'].map((name) => metrics.get(name))).toEqual([0, 0, 0]);
    // The alert for an inactive relay uses this metric.
    expect(metrics.get('ugc_relay_last_pass_timestamp_seconds')).toBe(0);
    expect(metrics.get('process_start_time_seconds')).toBeGreaterThan(0);
    expect((await fetch(`${hung.operationsUrl}/health/live`)).status).toBe(200);
    await hung.stop();
    await silent.stop();
  });
});
