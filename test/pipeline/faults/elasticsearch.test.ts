/** @store-timeout-factor 3 */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { pauseIndexing, resumeIndexing } from '@ugc/shared/indices/index-control';
import { readFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Interceptor } from '../../support/cluster/chaos-proxy.ts';
import { startCluster } from '../../support/cluster/cluster.ts';
import { problemsOnPage } from '../../support/http/operations-status.ts';
import { rounds, long, rows } from '../../support/jest/long.ts';
import { forAllTests } from '../../support/jest/for-all-tests.ts';
import { CLAIMED, countOutbox, NOT_REJECTED } from '../../support/database/outbox.ts';
import { expectNothingLost } from '../../support/cluster/oracle.ts';
import { indexNames } from '../../support/indices/index-deps.ts';
import { expectProblem } from '../../support/http/problems.ts';
import { insertItems, insertPoison } from '../../support/database/insert-items.ts';
import { indexCommand } from '../../support/processes/command.ts';
import { startAnotherApi } from '../../support/processes/api-alone.ts';
import { createEnvironment } from '../../support/processes/environment.ts';
import { startHalfService } from '../../support/processes/service.ts';
import { scrape } from '../../support/http/scrape.ts';
import { storeContent } from '../../support/database/stored-content.ts';
import { until } from '../../support/jest/until.ts';
import { IS_OPENSEARCH } from '../../support/servers/search-engine.ts';
import { Uploads } from '../../support/cluster/uploads.ts';

/** Watermarks in bytes of free space, so that any disk is full, or none. */
const watermarks = (free: string): Record<string, string> =>
  Object.fromEntries(['low', 'high', 'flood_stage'].map((mark) => [`cluster.routing.allocation.disk.watermark.${mark}`, free]));
const DISK_IS_FULL = watermarks('999999gb');
const DISK_HAS_SPACE = watermarks('1kb');

const SETTINGS = {
  'http.max_content_length': '1mb',
  // Not enough for two concurrent bulk requests of that size, of which Elasticsearch counts more than OpenSearch does.
  'indexing_pressure.memory.limit': IS_OPENSEARCH ? '1500kb' : '2400kb',
  'cluster.info.update.interval': '10s',
};

const cluster = forAllTests(() =>
  startCluster({ elasticsearch: SETTINGS, proxied: ['elasticsearch'], failpoints: true }, { LIST_TIMEOUT_MS: '10000' }),
);
let uploads: Uploads;
beforeEach(() => void (uploads = new Uploads()));

describe('uploads succeed, lists return an error, nothing is rejected and all changes are indexed when Elasticsearch', () => {
  it('is killed repeatedly during bulk requests and then stays down for a while', async () => {
    for (const round of rounds()) {
      await cluster.elasticsearchServer?.start();
      await insertItems(cluster.database, { count: 500, prefix: `bulk ${round}` });
      cluster.failpoints.order('worker.before_bulk');
      await cluster.failpoints.reached('worker.before_bulk');
      cluster.failpoints.release('worker.before_bulk');
      await cluster.elasticsearchServer?.kill();
    }
    await expectUploadsSucceed('away');
    expect((await cluster.client.get('/health/ready')).body.stores.elasticsearch).toBe('down');
    await cluster.elasticsearchServer?.start();
    await expectRecovery();
  });

  it('is suspended by SIGSTOP and does not respond', async () => {
    cluster.elasticsearchServer?.signal('SIGSTOP');
    // Also if it fails: a suspended server would hold up all further tests.
    await expectUploadsSucceed('hung').finally(() => cluster.elasticsearchServer?.signal('SIGCONT'));
    await expectRecovery();
  });

  it('answers for a moment between two suspensions while all slots are taken: what waits is 500 with it, and nothing is 429', async () => {
    const timeoutMs = 3_000;
    const another = await startAnotherApi({ ...cluster.env, LOG_LEVEL: 'silent', LIST_TIMEOUT_MS: String(timeoutMs) });
    // Most lists must still wait when the first is answered.
    cluster.proxies.elasticsearch?.delay(100);
    cluster.elasticsearchServer?.signal('SIGSTOP');
    const beganAt = performance.now();
    const lists = Array.from({ length: 190 }, (_, n) => another.client.get(`/api/content?size=${n + 1}`));
    await until('they have waited for most of their time', () => performance.now() - beganAt > timeoutMs / 2);
    cluster.elasticsearchServer?.signal('SIGCONT');
    // More than have a slot: those that have one now began later than those that wait.
    let answered = 0;
    await new Promise<void>((resolve) => lists.forEach((list) => void list.then(() => (answered += 1) === 6 && resolve())));
    cluster.elasticsearchServer?.signal('SIGSTOP');
    const responses = await Promise.all(lists).finally(() => cluster.elasticsearchServer?.signal('SIGCONT'));
    cluster.proxies.elasticsearch?.restore();
    await another.stop();
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 500]));
    await expectRecovery();
  });

  long.it('is behind a network that drops all packets', async () => {
    cluster.proxies.elasticsearch?.silence();
    await expectUploadsSucceed('discarded');
    cluster.proxies.elasticsearch?.restore();
    await expectRecovery();
  });

  long.it('resets every connection of its clients', async () => {
    cluster.proxies.elasticsearch?.reset();
    await expectUploadsSucceed('reset');
    cluster.proxies.elasticsearch?.restore();
    await expectRecovery();
  });

  it.each(rows(1, [100, 1, 300]))('closes the connection after %s bytes of a bulk response', async (bytes) => {
    for (const round of rounds()) {
      await cluster.indexed();
      cluster.failpoints.order('worker.before_bulk');
      await uploads.sendMany(cluster.client, `cut ${bytes} ${round}`, 3);
      await cluster.failpoints.reached('worker.before_bulk');
      const cuts = cluster.proxies.elasticsearch?.cuts ?? 0;
      cluster.proxies.elasticsearch?.cutAfter(bytes);
      cluster.failpoints.release('worker.before_bulk');
      await until('the response is cut off', () => (cluster.proxies.elasticsearch?.cuts ?? 0) > cuts);
    }
    await expectRecovery();
  });

  it('returns status 429 for every document of a bulk request', async () => {
    const bulks = failDocuments();
    await uploads.sendMany(cluster.client, 'too many', 50);
    await until('five bulk requests have failed', () => bulks.count >= 5);
    await until('the retries are counted', async () => (await countChanges('retried')) > 0);
    cluster.proxies.elasticsearch?.restore();
    await expectRecovery();
  });

  long.it('returns 400 for every bulk request, like an incompatible version', async () => {
    const bulks = interceptBulks(() => ({
      status: 400,
      body: { error: { type: 'media_type_header_exception', reason: 'compatible-with=9' } },
    }));
    await uploads.sendMany(cluster.client, 'unreadable', 10);
    await until('five bulk requests have failed', () => bulks.count >= 5);
    cluster.proxies.elasticsearch?.restore();
    await expectRecovery();
  });

  it('has lost the index that is searched', async () => {
    for (const index of await indices()) await cluster.elasticsearch.indices.delete({ index });
    await uploads.sendMany(cluster.client, 'without an index', 20);
    await expectRecovery();
    expect(await indices()).toHaveLength(1);
  });
});

describe('while changes cannot be indexed', () => {
  it('lists succeed although the disk of Elasticsearch is full', async () => {
    await setClusterSettings({ ...DISK_IS_FULL, 'cluster.routing.allocation.disk.threshold_enabled': true });
    await until('writes are blocked', async () => (await indexBlock()) === 'true');
    await uploads.sendMany(cluster.client, 'disk full', 20);
    await until('a job was claimed', async () => (await countOutbox(cluster.database, CLAIMED)) > 0);
    expect((await cluster.client.list()).status).toBe(200);
    await untilProblem('free disk space if it is full');
    // The check stays on: without it, OpenSearch would keep its blocks of writes and of new indices.
    await setClusterSettings(DISK_HAS_SPACE);
    await expectRecovery();
  });
});

it('a setting of the cluster with which searches fail is named, and the errors of such searches are counted and logged', async () => {
  const settings = { 'search.allow_expensive_queries': false, 'search.max_buckets': 1 };
  await setClusterSettings(settings);
  await untilProblem('the setting search.allow_expensive_queries of Elasticsearch is false', 'the setting search.max_buckets');
  const countErrors = async () => {
    const metrics = await scrape(cluster.operationsUrl);
    return [...metrics].reduce((sum, [name, value]) => sum + (name.startsWith('ugc_elasticsearch_errors_total') ? value : 0), 0);
  };
  const before = await countErrors();
  expectProblem(await cluster.client.list({ prompt: 'mispelt' }), 500);
  expect(await countErrors()).toBeGreaterThan(before);
  await until('the log has the reason', () => readFileSync(cluster.apiLogs[0] ?? '', 'utf8').includes('search.allow_expensive_queries'));
  await setClusterSettings({ 'search.allow_expensive_queries': null, 'search.max_buckets': null });
  await expectRecovery();
});

describe('while Elasticsearch starts no shard of a new index', () => {
  const REASON = 'cluster.routing.allocation.enable=none';
  const setAllocation = (enable: string | null) => setClusterSettings({ 'cluster.routing.allocation.enable': enable });

  it('a rebuild ends with the reason, and meanwhile changes are indexed', async () => {
    await setAllocation('none');
    const rebuild = indexCommand(cluster.env, 'index-rebuild');
    await until('the problem is on the page', async () => (await problemsOnPage(cluster)).join().includes(REASON));
    await uploads.sendMany(cluster.client, 'beside a rebuild', 3);
    await cluster.indexed();
    expect((await cluster.client.list()).status).toBe(200);
    expect(await rebuild).toMatchObject({ code: 1, stderr: expect.stringContaining(REASON) });
    await setAllocation(null);
    await expectRecovery();
    await until('the index that did not start is removed', async () => (await indices()).length === 1);
  });

  it('a new environment says so, and has its index as soon as they start', async () => {
    await setAllocation('none');
    const service = await startHalfService(await createEnvironment({ ELASTICSEARCH_URL: cluster.env['ELASTICSEARCH_URL'] ?? '' }));
    await until('the problem is on the page', async () => (await problemsOnPage(service)).join().includes(REASON));
    const [status] = (await indexCommand(service.env, 'index-status', '--json')).json;
    expect(status).toMatchObject({ problems: expect.arrayContaining([expect.stringContaining(REASON)]) });
    await setAllocation(null);
    await until('lists return 200', async () => (await service.client.list()).status === 200);
    await service.stop();
  });
});

describe('a list is never partial', () => {
  const PARTIAL: [string, object][] = [
    ['times out', { timed_out: true, _shards: { total: 1, successful: 1, failed: 0 } }],
    ['has a failed shard', { timed_out: false, _shards: { total: 2, successful: 1, failed: 1 } }],
  ];

  it.each(rows(1, PARTIAL))('and returns 500 when the search %s', async (_, outcome) => {
    const partial = { took: 1, ...outcome, hits: { total: { value: 0, relation: 'eq' }, hits: [] } };
    cluster.proxies.elasticsearch?.intercept(({ path }) => (path.includes('_search') ? { status: 200, body: partial } : undefined));
    expectProblem(await listOnceConnected(), 500, 'store-unavailable');
    cluster.proxies.elasticsearch?.restore();
    await expectRecovery();
  });

  it('and returns 500 while the index is closed; nothing is rejected, and searches succeed once it is open again', async () => {
    const [index = ''] = await indices();
    await cluster.elasticsearch.indices.close({ index });
    await uploads.sendMany(cluster.client, 'closed', 10);
    expectProblem(await cluster.client.list(), 500);
    await untilIndicesChecked();
    await cluster.elasticsearch.indices.open({ index });
    await expectRecovery();
    expect(await indices()).toEqual([index]);
  });
});

describe('an item that Elasticsearch rejects', () => {
  it('has a reason, delays no other item of its job, and is indexed after it was edited', async () => {
    // While indexing is paused, all three changes collect for one job.
    await pauseIndexing(cluster.database);
    const [before = 0] = await insertItems(cluster.database, { count: 1, prefix: 'neighbour' });
    const poison = await insertPoison(cluster.database);
    const [after = 0] = await insertItems(cluster.database, { count: 1, prefix: 'neighbour' });
    await resumeIndexing(cluster.database);
    await until('nothing is pending', async () => (await countOutbox(cluster.database, NOT_REJECTED)) === 0);
    await cluster.indexed();
    expect(await cluster.client.search('neighbour')).toHaveLength(2);
    expect((await cluster.client.get(`/api/content/${poison}/index-status`)).body).toMatchObject({
      status: 'rejected',
      reason: expect.stringContaining('tagKeys'),
    });
    for (const id of [before, after]) expect((await cluster.client.get(`/api/content/${id}/index-status`)).body.status).toBe('indexed');
    await until('the rejection is counted', async () => (await countChanges('rejected')) === 1);
    await expectNothingLost(cluster, uploads, [poison]);
    await cluster.client.send('PATCH', `/api/content/${poison}`, { tags: ['corrected'] });
    await expectRecovery();
  });
});

it('bulk requests that exceed the size or memory limit of Elasticsearch are halved and retried until they fit', async () => {
  const before = await overloaded();
  await storeContent(
    cluster.database,
    Array.from({ length: 200 }, (_, n) => ({ name: `large ${n}`, data: 'd'.repeat(200_000) })),
  );
  await expectRecovery();
  expect(await overloaded()).toBeGreaterThan(before);
});

it('an index that is lost, and lost again with all data while it is being filled, is filled again', async () => {
  await insertItems(cluster.database, { count: 2_000, prefix: 'backlog' });
  await cluster.indexed();
  cluster.proxies.elasticsearch?.delay(100);
  for (const index of await indices()) await cluster.elasticsearch.indices.delete({ index });
  await untilFilling();
  await wipe();
  cluster.proxies.elasticsearch?.restore();
  await untilListed();
  await expectRecovery();
});

async function expectUploadsSucceed(prefix: string): Promise<void> {
  await Promise.all([uploads.sendMany(cluster.client, prefix, 50), expectListsFail()]);
  expect(uploads.statusesBut(201)).toEqual([]);
  expect((await cluster.client.get(`/api/content/${[...uploads.accepted.keys()][0]}`)).status).toBe(200);
}

async function expectListsFail(): Promise<void> {
  const responses = await Promise.all(Array.from({ length: 12 }, (_, n) => cluster.client.list({ prompt: `p${n}` })));
  for (const response of responses) expectProblem(response, 500);
}

async function expectRecovery(): Promise<void> {
  await untilListed();
  expect(uploads.statusesBut(201)).toEqual([]);
  await expectNothingLost(cluster, uploads);
}

/**
 * Waits until lists succeed. The first successful list must be complete: it contains all items that were indexed before
 * the fault.
 */
async function untilListed(): Promise<void> {
  const [row] = await cluster.database.query<{ acknowledged: number }>(
    `select count(*) as acknowledged from content c where deleted_at is null
       and not exists (select from index_outbox o where o.content_id = c.content_id and o.indexed_revision is null)`,
  );
  await until('lists return 200', async () => {
    // Acknowledged changes are searchable only after a refresh. The index may not exist yet.
    await cluster.elasticsearch.indices.refresh({ index: cluster.alias }).catch(() => undefined);
    const { status, body } = await cluster.client.list({ size: 1 });
    if (status === 200) expect(body.totalElements).toBeGreaterThanOrEqual(row?.acknowledged ?? 0);
    return status === 200;
  });
}

// The API's connections were reset, so the first request may fail.
async function listOnceConnected() {
  await cluster.client.list();
  return cluster.client.list();
}

function failDocuments(): { count: number } {
  const error = { type: 'es_rejected_execution_exception', reason: 'rejected execution of coordinating operation' };
  return interceptBulks(({ body }) => {
    const ids = [...body.matchAll(/^\{"index":\{"_id":"(\d+)"/gm)].map((match) => match[1]);
    return { status: 200, body: { took: 1, errors: true, items: ids.map((_id) => ({ index: { _id, status: 429, error } })) } };
  });
}

function interceptBulks(intercept: Interceptor): { count: number } {
  const bulks = { count: 0 };
  cluster.proxies.elasticsearch?.intercept((request) => {
    if (!request.path.includes('_bulk')) return undefined;
    bulks.count += 1;
    return intercept(request);
  });
  return bulks;
}

/** Waits until the indexer has checked the indices twice. */
async function untilIndicesChecked(): Promise<void> {
  let checks = 0;
  cluster.proxies.elasticsearch?.intercept(({ method, path }) => {
    if (method === 'GET' && path.includes(cluster.alias)) checks += 1;
    return undefined;
  });
  await until('the indexer has checked the indices', () => checks >= 2);
  cluster.proxies.elasticsearch?.restore();
}

async function countChanges(result: string): Promise<number> {
  return (await scrape(cluster.indexer.url)).get(`ugc_index_changes_total{result="${result}"}`) ?? 0;
}

async function overloaded(): Promise<number> {
  return (await scrape(cluster.indexer.url)).get('ugc_elasticsearch_errors_total{kind="overloaded"}') ?? 0;
}

function indices(): Promise<string[]> {
  return indexNames(cluster);
}

async function indexBlock(): Promise<string | undefined> {
  const [settings] = Object.values(await cluster.elasticsearch.indices.getSettings({ index: cluster.alias, flat_settings: true }));
  return settings?.settings?.['index.blocks.read_only_allow_delete'];
}

async function setClusterSettings(persistent: Record<string, unknown>): Promise<void> {
  await cluster.elasticsearch.cluster.putSettings({ persistent });
}

async function untilProblem(...problems: string[]): Promise<void> {
  await until('the problem is named', async () => {
    const named = String(await problemsOnPage(cluster));
    return problems.every((problem) => named.includes(problem));
  });
  await until('readiness is degraded', async () => (await cluster.client.get('/health/ready')).body.status === 'degraded');
}

async function untilFilling(): Promise<void> {
  await until('a new index is being filled', async () => {
    const [next] = await indices();
    if (next === undefined) return false;
    await cluster.elasticsearch.indices.refresh({ index: next, ignore_unavailable: true });
    return (await cluster.elasticsearch.count({ index: next, ignore_unavailable: true })).count > 0;
  });
}

async function wipe(): Promise<void> {
  await cluster.elasticsearchServer?.kill();
  for (const entry of await readdir(cluster.elasticsearchData)) await rm(join(cluster.elasticsearchData, entry), { recursive: true });
  await cluster.elasticsearchServer?.start();
}
