import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import type { OperationsStatus } from '@ugc/shared/contracts/operations-status';
import { pauseIndexing, resumeIndexing } from '@ugc/shared/indices/index-control';
import { cached } from '@ugc/shared/timing/intervals';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { OLDER_VERSION } from '../support/indices/older-index.ts';
import { ChaosProxy } from '../support/cluster/chaos-proxy.ts';
import { insertItems } from '../support/database/insert-items.ts';
import { scrape } from '../support/http/scrape.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { ensureIndex, withIndexLock } from '../support/indices/index-lock.ts';
import { readStatus, valueOf } from '../support/http/operations-status.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { passTime } from '../support/jest/pass-time.ts';
import { until } from '../support/jest/until.ts';
import { containerOf, manifest, patches, type Container } from '../support/kubernetes/manifests.ts';
import { startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import { startService } from '../support/processes/service.ts';
import { startOwnRedis } from '../support/servers/redis.ts';

/** Counts are kept for up to 10 s. */
const untilRead = (what: string, condition: () => Promise<boolean>) =>
  until(what, () => {
    passTime(10_000);
    return condition();
  });

describe('the status and the metrics of a service', () => {
  const service = forAllTests(() => startService());
  let status: OperationsStatus;
  const untilStatus = (what: string, test: (status: OperationsStatus) => boolean) =>
    untilRead(what, async () => test((status = await readStatus(service.operationsUrl))));

  beforeAll(async () => {
    for (let n = 0; n < 3; n++) await service.client.upload();
    await service.indexed();
  });

  it('names the searched index with its mapping version, documents and role, and the stores', async () => {
    await untilStatus('the documents are counted', ({ targets }) => valueOf(targets).list[0]?.index?.documents === 3);
    expect(status.stores).toEqual({ postgres: 'up', redis: 'up', elasticsearch: 'up' });
    expect(valueOf(status.targets)).toMatchObject({ mappingVersion: MAPPING_VERSION, rebuildDue: false, rebuild: null });
    expect(valueOf(status.targets).list).toEqual([
      expect.objectContaining({
        indexName: expect.stringContaining(`${service.env['CONTENT_ALIAS']}-v${MAPPING_VERSION}-`),
        role: 'search',
        mappingVersion: MAPPING_VERSION,
        retiredReason: null,
        restoredAt: null,
        repair: null,
        index: { searched: true, writesBlocked: false, documents: 3, deleted: 0, bytes: expect.any(Number), written: 3 },
        problem: null,
      }),
    ]);
  });

  it('the indexer reports the time from commit to acknowledgement of each change, and each bulk request', async () => {
    const operationsUrl = `http://127.0.0.1:${service.indexer.operationsPort}`;
    await until(
      'all are counted',
      async () => ((await scrape(operationsUrl)).get('ugc_index_changes_total{result="acknowledged"}') ?? 0) >= 3,
    );
    const metrics = await scrape(operationsUrl);
    expect(metrics.get('ugc_index_lag_seconds_count')).toBe(3);
    expect(metrics.get('ugc_index_lag_seconds_sum')).toBeGreaterThan(0);
    expect(metrics.get('ugc_index_lag_seconds_bucket{le="30"}')).toBe(3);
    expect(metrics.get('ugc_bulk_request_duration_seconds_count')).toBeGreaterThan(0);
  });

  it('names the waiting jobs, the connected indexers and the limits of the process', async () => {
    await untilStatus('the indexer is connected', ({ queue }) => valueOf(queue).indexers === 1);
    expect(valueOf(status.queue)).toMatchObject({ waiting: 0, active: 0, memory: { limitBytes: null } });
    expect(valueOf(status.queue).memory?.usedBytes).toBeGreaterThan(0);
    const limits = Object.fromEntries(status.resources.map(({ resource, limit }) => [resource, limit]));
    expect(limits).toMatchObject({ postgres_connections: 10, waiting_jobs: 50, connections: 1_000, index_waiters: 1_000 });
    expect(status.process).toMatchObject({ live: true, residentBytes: expect.any(Number) });
  });

  it('contains since when indexing is paused, and the changes that wait', async () => {
    await pauseIndexing(service.database);
    await service.client.upload();
    await untilStatus('the change is pending', ({ backlog }) => valueOf(backlog.now).pending === 1);
    const { pausedSince } = valueOf(status.indexing);
    expect(Date.now() - Date.parse(pausedSince ?? '')).toBeLessThan(120_000);
    expect(valueOf(status.backlog.now).oldestPendingSeconds).toBeGreaterThan(0);
    await resumeIndexing(service.database);
    await untilStatus('indexing runs', ({ indexing }) => valueOf(indexing).pausedSince === null);
  });

  it('contains a rejected item with a reason of at most 500 characters, and how many there are', async () => {
    await service.indexed();
    const insert = `insert into index_outbox (content_id, revision, rejected_reason) select n, 7, $1 from generate_series(1001, 1030) n`;
    await service.database.query(insert, ['field [x] '.repeat(100)]);
    await untilStatus('the items are listed', ({ rejected }) => valueOf(rejected).total === 30);
    expect(valueOf(status.rejected).items).toHaveLength(20);
    expect(valueOf(status.rejected).items[0]).toEqual({
      contentId: 1_001,
      revision: 7,
      since: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      reason: 'field [x] '.repeat(50),
    });
    await service.database.query(`delete from index_outbox where content_id > 1000`);
  });

  const PROBES = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const;
  const probesOf = (container: Container) => PROBES.flatMap((probe) => container[probe]?.httpGet ?? []);

  it('the probes of the Kubernetes manifests are answered by the ports that they name', async () => {
    const urls = {
      'ugc-api': { http: service.client.baseUrl, operations: service.operationsUrl },
      'ugc-indexer': { operations: `http://127.0.0.1:${service.indexer.operationsPort}` },
    };
    for (const [name, ports] of Object.entries(urls)) {
      const probes = probesOf(containerOf(manifest('Deployment', name)));
      expect(new Set(probes.map(({ port }) => port))).toEqual(new Set(Object.keys(ports)));
      for (const { path, port } of probes) {
        const { status } = await fetch(new URL(path, (ports as Record<string, string>)[port]));
        expect([name, port, path, status]).toEqual([name, port, path, 200]);
      }
    }
  });

  it('the metric by which KEDA scales the indexers is one of the API, without labels, and 0 when nothing is to be done', async () => {
    const [trigger] = manifest('ScaledObject', 'ugc-indexer').spec.triggers;
    const asked: string = trigger.metadata.query;
    const named = /^max\((\w+)\{namespace="ugc"\}\)$/.exec(asked)?.[1] ?? '';
    const replaced = patches.find(({ path }) => path === 'components/keda-metrics-api/trigger.yaml')?.documents[0]?.[0];
    expect(replaced?.value[0].metadata.valueLocation).toBe(named);
    await untilRead('nothing is to be done', async () => (await scrape(service.operationsUrl)).get(named) === 0);
  });
});

describe('the status of an API without an indexer', () => {
  const api = forAllTests(() => startApiAlone({ LOG_LEVEL: 'warn' }));
  let status: OperationsStatus;
  const untilStatus = (what: string, test: (status: OperationsStatus) => boolean) =>
    untilRead(what, async () => test((status = await readStatus(api.operationsUrl))));
  const change = (statement: string, values: unknown[] = []) => api.database.query(statement, values);

  beforeAll(async () => {
    for (let n = 0; n < 2; n++) await api.client.upload();
    await until('the items are claimed', async () => (await change(`select from index_outbox where job_id is null`)).length === 0);
    // One item has been isolated; the jobs are old.
    await change(`update index_outbox set claims = 5 where content_id = 1`);
    await change(`update index_outbox set claimed_at = now() - interval '2 minutes', pending_since = now() - interval '3 minutes'`);
    await change(`insert into index_target (index_name, role, mapping_version, filled_to) values ('new', 'next', $1, 1)`, [
      MAPPING_VERSION,
    ]);
  });

  it('contains the jobs and the isolated items that do not end', async () => {
    await untilStatus('they are listed', ({ unfinished }) => valueOf(unfinished).isolated.length === 1);
    expect(valueOf(status.unfinished).isolated).toEqual([{ contentId: 1, claims: 5, pendingSeconds: expect.any(Number) }]);
    const { jobs, jobCount } = valueOf(status.unfinished);
    expect(jobs).toHaveLength(jobCount);
    expect(jobs.reduce((sum, { items }) => sum + items, 0)).toBe(2);
    expect(jobs[0]).toMatchObject({ jobId: expect.stringMatching(/^[\da-f-]{36}$/), state: 'waiting' });
    expect(jobs[0]?.claimedSeconds).toBeGreaterThanOrEqual(120);
  });

  it('shows that no indexer is connected', () => {
    expect(valueOf(status.queue)).toMatchObject({ indexers: 0, active: 0 });
    expect(valueOf(status.queue).waiting).toBeGreaterThan(0);
  });

  it('contains the progress of a rebuild, and whether a process works on it', async () => {
    expect(valueOf(status.targets).rebuild).toEqual({ indexName: 'new', filledTo: 1, lastContentId: 2, running: false });
    expect(valueOf(status.targets).list).toEqual([
      expect.objectContaining({ role: 'next', index: null, problem: expect.stringContaining('Elasticsearch has no such index') }),
    ]);
    await withIndexLock(api.database, () =>
      untilStatus('a process works on it', ({ targets }) => valueOf(targets).rebuild?.running === true),
    );
    await untilStatus('no process works on it', ({ targets }) => valueOf(targets).rebuild?.running === false);
  });

  it('contains the searches, uploads and failures of each minute', async () => {
    const sum = ({ requests }: OperationsStatus) => requests.reduce((all, { searches, uploads }) => ({ searches: all.searches + searches, uploads: all.uploads + uploads }), { searches: 0, uploads: 0 }); // prettier-ignore
    const before = sum(status);
    await api.client.list();
    await api.client.upload();
    await api.client.tryUpload({ name: '' });
    const counted = { searches: before.searches + 1, uploads: before.uploads + 1 };
    await untilStatus('they are counted', (present) => isDeepStrictEqual(sum(present), counted));
  });

  it('contains samples of the backlog with their times', () => {
    const { lastHour } = status.backlog;
    expect(lastHour.length).toBeGreaterThan(0);
    expect(Date.parse(lastHour[0]?.time ?? '')).toBeLessThanOrEqual(Date.parse(status.time));
  });

  it('lacks no other part if some cannot be read, and the log names each of these', async () => {
    const named = () => api.logged.map((line) => JSON.parse(line)).flatMap(({ msg, part }) => (msg.startsWith('a part of') ? [part] : []));
    const tables = ['index_comparison', 'index_target'];
    for (const table of tables) await change(`alter table ${table} rename to ${table}_away`);
    await untilStatus('they cannot be read', ({ comparison, targets }) => 'problem' in comparison && 'problem' in targets);
    await until('the log names them', () => ['comparison', 'targets'].every((part) => named().includes(part)));
    expect(named()).not.toContain('indexing');
    for (const table of tables) await change(`alter table ${table}_away rename to ${table}`);
    await untilStatus('they are read again', ({ comparison, targets }) => 'value' in comparison && 'value' in targets);
  });
});

describe('requests to the operations port', () => {
  const api = forAllTests(() => startApiAlone({ OPERATIONS_HOSTS: 'Ops.example.com, 10.1.2.3' }));

  /** Uses node:http, because fetch sets the Host header itself. */
  async function send(path: string, host: string | undefined, method = 'GET') {
    const { hostname, port } = new URL(api.operationsUrl);
    const headers = host === undefined ? {} : { host };
    const sent = request({ hostname, port, path, method, headers, setHost: false }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  }

  it.each(['localhost', 'LOCALHOST', 'localhost:9464', '127.0.0.1:1', '[::1]', '[::1]:9464', 'ops.example.com:80', '10.1.2.3'])(
    'for the page and its data get 200 under the host %s',
    async (host) => {
      for (const path of ['/', '/status']) expect([path, (await send(path, host)).status]).toEqual([path, 200]);
    },
  );

  it.each([
    'attacker.example',
    'attacker.example:9464',
    'localhost.attacker.example',
    'localhost:9464@attacker.example',
    'attacker.example, localhost',
    '127.0.0.2',
    '[::2]',
    'localhost:',
    'ops.example.com.evil',
  ])('for the page and its data get 403 under the host %s, while metrics and liveness are available', async (host) => {
    for (const path of ['/', '/status']) {
      const { status, body } = await send(path, host);
      expect([path, status, body]).toEqual([
        path,
        403,
        expect.stringContaining('localhost, 127.0.0.1 and [::1], and those in OPERATIONS_HOSTS'),
      ]);
    }
    expect((await send('/metrics', host)).status).toBe(200);
    expect((await send('/health/live', host)).status).toBe(200);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('of the method %s get 405 with the methods that exist', async (method) => {
    for (const path of ['/', '/status']) {
      const { status, headers } = await send(path, 'localhost', method);
      expect([path, status, headers.allow]).toEqual([path, 405, 'GET, HEAD']);
    }
  });

  it('of the method HEAD have the headers of GET and no body', async () => {
    for (const path of ['/', '/status']) {
      const { status, headers, body } = await send(path, 'localhost', 'HEAD');
      expect([status, Number(headers['content-length']) > 0, body]).toEqual([200, true, '']);
    }
  });

  it('have a strict policy for the page, and no other origin may read the data', async () => {
    const page = await send('/', 'localhost');
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(page.headers['content-security-policy']).not.toContain('unsafe');
    const data = await send('/status', 'localhost');
    expect(data.headers).toMatchObject({ 'cache-control': 'no-store', 'cross-origin-resource-policy': 'same-origin' });
    expect(data.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('for other paths get 404 with the paths that exist', async () => {
    expect(await send('/nowhere', 'localhost')).toMatchObject({ status: 404, body: expect.stringContaining('/status') });
  });
});

const SCALING = { PENDING_CHANGES_PER_INDEXER: '10', INDEXERS_MAX: '3' };

function wantedOf({ operationsUrl }: ApiAlone): Promise<number | undefined> {
  return scrape(operationsUrl).then((metrics) => metrics.get('ugc_indexers_wanted'));
}

const untilWanted = (api: ApiAlone, wanted: number): Promise<void> =>
  untilRead(`${wanted} indexers are wanted`, async () => (await wantedOf(api)) === wanted);

describe('without an indexer, the API reports', () => {
  const api = forAllTests(() => startApiAlone(SCALING));
  beforeAll(async () => {
    for (let n = 0; n < 3; n++) await api.client.upload();
    await api.database.query(`update index_outbox set pending_since = now() - interval '1 hour' where content_id = 1`);
  });

  it('pending changes, the age of the oldest one, and waiting jobs', async () => {
    await untilRead(
      'the pending changes are counted',
      async () => (await scrape(api.operationsUrl)).get('ugc_outbox_pending_changes') === 3,
    );
    const metrics = await scrape(api.operationsUrl);
    expect(metrics.get('ugc_outbox_oldest_pending_seconds')).toBeGreaterThanOrEqual(3_600);
    expect(metrics.get('ugc_outbox_oldest_pending_seconds')).toBeLessThan(3_700);
    expect(metrics.get('ugc_outbox_rejected_changes')).toBe(0);
    await until('jobs wait', async () => ((await scrape(api.operationsUrl)).get('ugc_queue_waiting_jobs') ?? 0) > 0);
  });

  it('a rejected change as rejected and not as pending', async () => {
    await api.database.query(`update index_outbox set rejected_reason = 'test', job_id = null, claimed_at = null where content_id = 1`);
    await untilRead('it is counted', async () => (await scrape(api.operationsUrl)).get('ugc_outbox_rejected_changes') === 1);
    const metrics = await scrape(api.operationsUrl);
    expect(metrics.get('ugc_outbox_pending_changes')).toBe(2);
    expect(metrics.get('ugc_outbox_oldest_pending_seconds')).toBeLessThan(3_600);
  });

  it('the state of the relay, the stores and the connection pool', async () => {
    const metrics = await scrape(api.operationsUrl);
    expect(metrics.get('ugc_relay_last_pass_age_seconds')).toBeLessThan(30);
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

  it('while there is no index, that one indexer is wanted to create it, whatever is pending, because it cannot be shared', async () => {
    await insertItems(api.database, { count: 40 });
    // Without a response of PostgreSQL in time, it is not published.
    let wanted: number | undefined;
    await untilRead('the number is published', async () => (wanted = await wantedOf(api)) !== undefined);
    expect(wanted).toBe(1);
  });
});

it('concurrent scrapes share one cached result', async () => {
  let loads = 0;
  const load = cached(60_000, () => Promise.resolve(++loads));
  expect(await Promise.all(Array.from({ length: 50 }, load))).toEqual(Array.from({ length: 50 }, () => 1));
});

describe('with an index and no indexer', () => {
  let proxy: ChaosProxy;
  let api: ApiAlone;
  beforeAll(async () => {
    proxy = await ChaosProxy.before(process.env['TEST_ELASTICSEARCH_URL'] ?? '');
    api = await startApiAlone({ ...SCALING, ELASTICSEARCH_URL: proxy.url });
    await ensureIndex(indexDeps(api));
    await untilWanted(api, 0);
  });
  afterAll(async () => {
    await proxy.close();
    await api.stop();
  });

  /** Makes something due with one statement, and undoes it with the other. */
  const DUE: [string, string, string][] = [
    [
      'keys of uploads are to be purged',
      `insert into idempotency_key (user_id, key, request_hash, created_at) values (1, 'old', '', now() - interval '26 hours')`,
      `delete from idempotency_key`,
    ],
    [
      'tombstones are to be purged',
      `insert into content (creator_id, name, description, data, version, deleted_at) values (1, '', '', '', 1, now() - interval '8 days')`,
      `delete from content where deleted_at is not null`,
    ],
    [
      'hashes of searches are to be purged',
      `insert into search_insight_user values (current_date - 2, substr(sha256('a'), 1, 16), substr(sha256('b'), 1, 16))`,
      `delete from search_insight_user`,
    ],
    [
      'prompts of searches are to be purged',
      `insert into search_insight (day, prompt_hash, users, last_at) values (current_date - 32, substr(sha256('a'), 1, 16), 5, now())`,
      `delete from search_insight`,
    ],
    [
      'no comparison was completed for a day',
      `update index_target set role_since = now() - interval '25 hours'`,
      `update index_comparison set last_round = jsonb_build_object('completedAt', now())`,
    ],
    [
      'a new mapping needs a rebuild',
      `update index_target set mapping_version = ${OLDER_VERSION}`,
      `update index_target set mapping_version = 1000`,
    ],
    ['a rebuild has begun', `update index_target set role = 'next'`, `update index_target set role = 'search'`],
  ];
  it.each(DUE)('one indexer is wanted while %s, and none afterwards', async (_, begin, end) => {
    await api.database.query(begin);
    await untilWanted(api, 1);
    await api.database.query(end);
    await untilWanted(api, 0);
  });

  it('what a running indexer purges within the hour needs no other one', async () => {
    await api.database.query(
      `insert into idempotency_key (user_id, key, request_hash, created_at) values (1, 'young', '', now() - interval '24 hours 30 minutes')`,
    );
    await insertItems(api.database, { count: 1 });
    await untilWanted(api, 1);
    await api.database.query(`delete from index_outbox`);
    await untilWanted(api, 0);
  });

  it('a rejected change needs none', async () => {
    await api.database.query(`insert into index_outbox (content_id, revision, rejected_reason) values (1000, 1, 'test')`);
    await insertItems(api.database, { count: 1 });
    await untilWanted(api, 1);
    await api.database.query(`delete from index_outbox where rejected_reason is null`);
    await untilWanted(api, 0);
  });

  describe('and a backlog', () => {
    beforeAll(async () => void (await insertItems(api.database, { count: 12 })));

    it('one indexer is wanted for each part of it, up to the maximum', async () => {
      await untilWanted(api, 2);
      await insertItems(api.database, { count: 100 });
      await untilWanted(api, 3);
    });

    it('one is wanted while indexing is paused', async () => {
      await pauseIndexing(api.database);
      await untilWanted(api, 1);
      await untilRead('the pause is reported', async () => (await scrape(api.operationsUrl)).get('ugc_index_paused') === 1);
      await resumeIndexing(api.database);
      await untilWanted(api, 3);
      expect((await scrape(api.operationsUrl)).get('ugc_index_paused')).toBe(0);
    });

    it('one is wanted while Elasticsearch is cut off', async () => {
      proxy.reset();
      await untilWanted(api, 1);
      expect((await scrape(api.operationsUrl)).get('ugc_elasticsearch_up')).toBe(0);
      proxy.restore();
      await untilWanted(api, 3);
    });
  });
});

describe('eviction policy', () => {
  const redis = forAllTests(() => startOwnRedis({ 'maxmemory-policy': 'allkeys-lru' }));
  const api = forAllTests(() => startApiAlone({ REDIS_URL: redis.url, LOG_LEVEL: 'info' }));

  const errors = (): unknown[] =>
    api.logged.map((line) => JSON.parse(line)).filter(({ policy, level }) => policy !== undefined && level === 50);

  it('an eviction policy of Redis is logged as an error when the API connects', async () => {
    await until('it is logged', () => errors().length > 0);
    expect(errors()).toEqual([
      expect.objectContaining({ policy: 'allkeys-lru', msg: expect.stringContaining('set its maxmemory-policy to noeviction') }),
    ]);
  });

  it('readiness and a metric report the eviction policy, and uploads succeed', async () => {
    const { status, body } = await api.client.get('/health/ready');
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'degraded', stores: { redis: 'evicts' } });
    expect((await scrape(api.operationsUrl)).get('ugc_redis_eviction_policy_ok')).toBe(0);
    expect((await api.client.tryUpload()).status).toBe(201);
  });

  it('a corrected policy is detected without a restart', async () => {
    await redis.admin.config('SET', 'maxmemory-policy', 'noeviction');
    await untilRead('readiness says so', async () => (await api.client.get('/health/ready')).body.stores.redis === 'up');
    expect((await scrape(api.operationsUrl)).get('ugc_redis_eviction_policy_ok')).toBe(1);
    expect(errors()).toHaveLength(1);
  });

  it('an eviction policy that is set while the service runs is detected', async () => {
    await redis.admin.config('SET', 'maxmemory-policy', 'volatile-ttl');
    await untilRead('the metric says so', async () => (await scrape(api.operationsUrl)).get('ugc_redis_eviction_policy_ok') === 0);
    expect(errors()).toHaveLength(2);
  });
});
