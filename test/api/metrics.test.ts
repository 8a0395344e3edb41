import { beforeAll, describe, expect, it } from '@jest/globals';
import { cached } from '@ugc/shared/timing/cached';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { scrape } from '../support/http/scrape.ts';
import { startService } from '../support/processes/service.ts';
import { silentServer } from '../support/servers/silent-server.ts';
import { until } from '../support/jest/until.ts';

describe('without an indexer, the API reports', () => {
  const api = forAllTests(() => startApiAlone());
  beforeAll(async () => {
    for (let n = 0; n < 3; n++) await api.client.upload();
    await api.database.query(`update index_outbox set pending_since = now() - interval '1 hour' where content_id = 1`);
  });

  it('pending changes, the age of the oldest one, and waiting jobs', async () => {
    await until('the pending changes are counted', async () => (await scrape(api.operationsUrl)).get('ugc_outbox_pending_changes') === 3);
    const metrics = await scrape(api.operationsUrl);
    expect(metrics.get('ugc_outbox_oldest_pending_seconds')).toBeGreaterThanOrEqual(3_600);
    expect(metrics.get('ugc_outbox_oldest_pending_seconds')).toBeLessThan(3_700);
    expect(metrics.get('ugc_outbox_rejected_changes')).toBe(0);
    await until('jobs wait', async () => ((await scrape(api.operationsUrl)).get('ugc_queue_waiting_jobs') ?? 0) > 0);
    await until('all are claimed', async () => (await scrape(api.operationsUrl)).get('ugc_relay_claims_total') === 3);
  });

  it('a rejected change as rejected and not as pending', async () => {
    await api.database.query(`update index_outbox set rejected_reason = 'test', job_id = null, claimed_at = null where content_id = 1`);
    await until('it is counted', async () => (await scrape(api.operationsUrl)).get('ugc_outbox_rejected_changes') === 1);
    const metrics = await scrape(api.operationsUrl);
    expect(metrics.get('ugc_outbox_pending_changes')).toBe(2);
    expect(metrics.get('ugc_outbox_oldest_pending_seconds')).toBeLessThan(3_600);
  });

  it('the state of the relay, the stores and the connection pool', async () => {
    const metrics = await scrape(api.operationsUrl);
    expect(Date.now() / 1_000 - (metrics.get('ugc_relay_last_pass_timestamp_seconds') ?? 0)).toBeLessThan(30);
    expect(metrics.get('ugc_postgres_pool_connections')).toBeGreaterThan(0);
    // There is no index yet.
    const stores = ['ugc_postgres_up', 'ugc_redis_up', 'ugc_redis_eviction_policy_ok', 'ugc_elasticsearch_up'];
    expect(stores.map((name) => metrics.get(name))).toEqual([1, 1, 1, 0]);
    expect(metrics.get('ugc_elasticsearch_errors_total{kind="missing"}')).toBeGreaterThan(0);
  });

  it('unknown methods and unknown paths in one time series each', async () => {
    for (const method of ['PROPFIND', 'LINK', 'MKCOL']) await api.client.request(method, '/nowhere');
    const requests = [...(await scrape(api.operationsUrl))].filter(([series]) =>
      series.startsWith('ugc_http_request_duration_seconds_count'),
    );
    expect(requests).toContainEqual(['ugc_http_request_duration_seconds_count{method="other",route="none",status="403"}', 3]);
    expect(JSON.stringify(requests)).not.toMatch(/PROPFIND|nowhere/);
  });
});

describe('while the stores do not respond', () => {
  it('a scrape returns in time and omits only the metrics that could not be read', async () => {
    const silent = await silentServer();
    const hung = await startApiAlone({
      DATABASE_URL: `postgresql://u:p@${silent.address}/ugc`,
      REDIS_URL: `redis://${silent.address}`,
      ELASTICSEARCH_URL: `http://${silent.address}`,
    });
    const startedAt = performance.now();
    const metrics = await scrape(hung.operationsUrl);
    // Prometheus gives up after 10 s.
    expect(performance.now() - startedAt).toBeLessThan(8_000);
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

it('concurrent scrapes share one cached result', async () => {
  let loads = 0;
  const load = cached(60_000, () => Promise.resolve(++loads));
  expect(await Promise.all(Array.from({ length: 50 }, load))).toEqual(Array.from({ length: 50 }, () => 1));
});

describe('the indexer', () => {
  const service = forAllTests(() => startService());
  beforeAll(async () => {
    for (let n = 0; n < 5; n++) await service.client.upload({ data: 'x'.repeat(1_000) });
    await service.indexed();
  });

  it('reports the time from commit to acknowledgement of each change, and each bulk request', async () => {
    const operationsUrl = `http://127.0.0.1:${service.indexer.operationsPort}`;
    await until(
      'all are counted',
      async () => ((await scrape(operationsUrl)).get('ugc_index_changes_total{result="acknowledged"}') ?? 0) >= 5,
    );
    const metrics = await scrape(operationsUrl);
    expect(metrics.get('ugc_index_lag_seconds_count')).toBe(5);
    expect(metrics.get('ugc_index_lag_seconds_sum')).toBeGreaterThan(0);
    expect(metrics.get('ugc_index_lag_seconds_bucket{le="30"}')).toBe(5);
    expect(metrics.get('ugc_bulk_request_documents_sum')).toBe(5);
    expect(metrics.get('ugc_bulk_request_bytes_sum')).toBeGreaterThan(5_000);
    expect(metrics.get('ugc_bulk_request_duration_seconds_count')).toBe(metrics.get('ugc_bulk_request_documents_count'));
  });
});
