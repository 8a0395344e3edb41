import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pauseIndexing, resumeIndexing } from '@ugc/indexer/indices/pause';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnswerInstead } from '../../support/chaos-proxy.ts';
import { startCluster, type Cluster } from '../../support/cluster.ts';
import { rounds } from '../../support/fault-repeats.ts';
import { CLAIMED, countOutbox, NOT_REJECTED } from '../../support/outbox.ts';
import { expectNothingLost } from '../../support/oracle.ts';
import { indexNames } from '../../support/index-names.ts';
import { expectProblem } from '../../support/problems.ts';
import { insertItems, insertPoison } from '../../support/insert-items.ts';
import { scrape } from '../../support/scrape.ts';
import { storeContent } from '../../support/stored-content.ts';
import { until } from '../../support/until.ts';
import { promisedUploadMs, Uploads } from '../../support/uploads.ts';

/** What the README promises. */
const ANSWERED_WITHIN_MS = 3_000;
/** Changes are indexed within about 2 s, on a machine that does nothing else. */
const NOT_DELAYED_MS = 10_000;

/** Flood stage is reached by thresholds that no disk can satisfy; all three have to be given in bytes. */
const DISK_IS_FULL = Object.fromEntries(
  ['low', 'high', 'flood_stage'].map((mark) => [`cluster.routing.allocation.disk.watermark.${mark}`, '999999gb']),
);

const SETTINGS = {
  'http.max_content_length': '1mb',
  // Too little for two bulk requests of that size at a time.
  'indexing_pressure.memory.limit': '2400kb',
  'cluster.info.update.interval': '10s',
};

let cluster: Cluster;
let promisedMs: number;
let uploads: Uploads;
beforeAll(async () => {
  cluster = await startCluster({
    elasticsearch: SETTINGS,
    proxied: ['elasticsearch'],
    failpoints: true,
  });
  promisedMs = await promisedUploadMs(cluster.client);
});
beforeEach(() => void (uploads = new Uploads()));
afterAll(() => cluster.stop());

describe('uploads go on, lists say that they fail, nothing is rejected and everything is indexed, when Elasticsearch', () => {
  it('is killed in the middle of a bulk again and again, and stays away in the end', async () => {
    for (const round of rounds()) {
      await cluster.elasticsearchServer?.start();
      await insertItems(cluster.database, { count: 500, prefix: `bulk ${round}` });
      cluster.failpoints.order('worker.before_bulk');
      await cluster.failpoints.reached('worker.before_bulk');
      cluster.failpoints.release('worker.before_bulk');
      await cluster.elasticsearchServer?.kill();
    }
    await expectUploadsGoOn('away');
    expect((await cluster.client.get('/health/ready')).body.stores.elasticsearch).toBe('down');
    await cluster.elasticsearchServer?.start();
    await expectHealed();
  });

  it('hangs', async () => {
    cluster.elasticsearchServer?.signal('SIGSTOP');
    await expectUploadsGoOn('hung');
    cluster.elasticsearchServer?.signal('SIGCONT');
    await expectHealed();
  });

  it('is behind a network that swallows everything', async () => {
    cluster.proxies.elasticsearch?.silence();
    await expectUploadsGoOn('swallowed');
    cluster.proxies.elasticsearch?.heal();
    await expectHealed();
  });

  it('resets every connection', async () => {
    cluster.proxies.elasticsearch?.reset();
    await expectUploadsGoOn('reset');
    cluster.proxies.elasticsearch?.heal();
    await expectHealed();
  });

  it.each([1, 100, 300])('ends its answer to a bulk after %s bytes', async (bytes) => {
    for (const round of rounds()) {
      await cluster.indexed();
      cluster.failpoints.order('worker.before_bulk');
      await uploads.sendMany(cluster.client, `cut ${bytes} ${round}`, 3);
      await cluster.failpoints.reached('worker.before_bulk');
      const cuts = cluster.proxies.elasticsearch?.cuts ?? 0;
      cluster.proxies.elasticsearch?.cutAfter(bytes);
      cluster.failpoints.release('worker.before_bulk');
      await until('the answer is cut', () => (cluster.proxies.elasticsearch?.cuts ?? 0) > cuts);
    }
    await expectHealed();
  });

  it('answers every document with 429', async () => {
    const refused = refuseBulks();
    await uploads.sendMany(cluster.client, 'too many', 50);
    await until('bulks were refused again and again', () => refused.count >= 5);
    expect(await countChanges('retried')).toBeGreaterThan(0);
    cluster.proxies.elasticsearch?.heal();
    await expectHealed();
  });

  it('can read no request at all, as one of another version would', async () => {
    const refused = answerBulks(() => ({
      status: 400,
      body: { error: { type: 'media_type_header_exception', reason: 'compatible-with=9' } },
    }));
    await uploads.sendMany(cluster.client, 'unreadable', 10);
    await until('bulks were refused again and again', () => refused.count >= 5);
    cluster.proxies.elasticsearch?.heal();
    await expectHealed();
  });

  it('has lost its index', async () => {
    for (const index of await indices()) await cluster.elasticsearch.indices.delete({ index });
    await uploads.sendMany(cluster.client, 'without an index', 20);
    await expectHealed();
    expect(await indices()).toHaveLength(1);
  });
});

describe('lists go on, while uploads wait to be indexed, when', () => {
  it('the disk of Elasticsearch is full', async () => {
    await setClusterSettings({ ...DISK_IS_FULL, 'cluster.routing.allocation.disk.threshold_enabled': true });
    await until('writes are blocked', async () => (await indexBlock()) === 'true');
    await uploads.sendMany(cluster.client, 'disk full', 20);
    await until('it was tried', async () => (await countOutbox(cluster.database, CLAIMED)) > 0);
    expect((await cluster.client.list()).status).toBe(200);
    await setClusterSettings({ ...withoutValues(DISK_IS_FULL), 'cluster.routing.allocation.disk.threshold_enabled': null });
    await expectHealed();
  });
});

describe('a list is never partial:', () => {
  it.each([
    ['a search that timed out', { timed_out: true, _shards: { total: 1, successful: 1, failed: 0 } }],
    ['a failed shard', { timed_out: false, _shards: { total: 2, successful: 1, failed: 1 } }],
  ])('%s is a 500', async (_, outcome) => {
    const partial = { took: 1, ...outcome, hits: { total: { value: 0, relation: 'eq' }, hits: [] } };
    cluster.proxies.elasticsearch?.answer(({ path }) => (path.includes('_search') ? { status: 200, body: partial } : undefined));
    expectProblem(await listOnceConnected(), 500);
    cluster.proxies.elasticsearch?.heal();
    await expectHealed();
  });

  it('a closed index is a 500, rejects nothing, and is searched again once it is open', async () => {
    const [index = ''] = await indices();
    await cluster.elasticsearch.indices.close({ index });
    await uploads.sendMany(cluster.client, 'closed', 10);
    expectProblem(await cluster.client.list(), 500);
    await untilLookedAfter();
    await cluster.elasticsearch.indices.open({ index });
    await expectHealed();
    expect(await indices()).toEqual([index]);
  });
});

describe('a document that the index refuses', () => {
  it('is rejected with its reason, delays none of its neighbours, and is indexed once it is edited', async () => {
    // All in one job.
    await pauseIndexing(cluster.database);
    const [before = 0] = await insertItems(cluster.database, { count: 1, prefix: 'neighbour' });
    const poison = await insertPoison(cluster.database);
    const [after = 0] = await insertItems(cluster.database, { count: 1, prefix: 'neighbour' });
    await resumeIndexing(cluster.database);
    await until('nothing is pending', async () => (await countOutbox(cluster.database, NOT_REJECTED)) === 0, NOT_DELAYED_MS);
    await cluster.indexed();
    expect(await cluster.client.search('neighbour')).toHaveLength(2);
    expect((await cluster.client.get(`/api/content/${poison}/index-status`)).body).toMatchObject({
      status: 'rejected',
      reason: expect.stringContaining('tags.exact'),
    });
    for (const id of [before, after]) expect((await cluster.client.get(`/api/content/${id}/index-status`)).body.status).toBe('indexed');
    expect(await countChanges('rejected')).toBe(1);
    await expectNothingLost(cluster, uploads, [poison]);
    await cluster.client.send('PATCH', `/api/content/${poison}`, { tags: ['mended'] });
    await expectHealed();
  });
});

it('bulks larger than Elasticsearch takes, and more than it has memory for, are halved and repeated until they fit', async () => {
  const before = await overloaded();
  await storeContent(
    cluster.database,
    Array.from({ length: 200 }, (_, n) => ({ name: `large ${n}`, data: 'd'.repeat(200_000) })),
  );
  await expectHealed();
  expect(await overloaded()).toBeGreaterThan(before);
});

it('an index that is lost, and lost with all data of Elasticsearch while it is filled again, is filled once more', async () => {
  await insertItems(cluster.database, { count: 2_000, prefix: 'backlog' });
  await cluster.indexed();
  cluster.proxies.elasticsearch?.delay(100);
  for (const index of await indices()) await cluster.elasticsearch.indices.delete({ index });
  await untilFilling();
  await wipe();
  cluster.proxies.elasticsearch?.heal();
  await untilListed();
  await expectHealed();
});

/** For as long as Elasticsearch does not answer. */
async function expectUploadsGoOn(prefix: string): Promise<void> {
  await uploads.sendDuring(cluster.client, prefix, expectListsFail());
  await uploads.sendMany(cluster.client, `${prefix}, still`, 150);
  expect(uploads.taken.size).toBe(uploads.durationsMs.length);
  expect(uploads.p99Ms()).toBeLessThanOrEqual(promisedMs);
  expect((await cluster.client.get(`/api/content/${[...uploads.taken.keys()][0]}`)).status).toBe(200);
}

async function expectListsFail(): Promise<void> {
  const startedAt = performance.now();
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => cluster.client.list({ prompt: `p${n}` })));
  for (const answer of answers) expectProblem(answer, 500);
  expect(performance.now() - startedAt).toBeLessThanOrEqual(ANSWERED_WITHIN_MS);
}

async function expectHealed(): Promise<void> {
  await untilListed();
  expect(uploads.taken.size).toBe(uploads.durationsMs.length);
  await expectNothingLost(cluster, uploads);
}

/** From the first answer on a list is whole: nothing that was in the index before the fault is missing. */
async function untilListed(): Promise<void> {
  const [row] = await cluster.database.query<{ settled: number }>(
    `select count(*) as settled from content c where deleted_at is null
       and not exists (select from index_outbox o where o.content_id = c.content_id and o.indexed_revision is null)`,
  );
  await until('lists answer', async () => {
    // What was acknowledged just now is in the index, but only seen after a refresh. There may be no index to refresh.
    await cluster.elasticsearch.indices.refresh({ index: alias() }).catch(() => undefined);
    const { status, body } = await cluster.client.list({ size: 1 });
    if (status === 200) expect(body.totalElements).toBeGreaterThanOrEqual(row?.settled ?? 0);
    return status === 200;
  });
}

// The API's connections were broken, and one request may still meet a broken one.
async function listOnceConnected() {
  await cluster.client.list();
  return cluster.client.list();
}

function refuseBulks(): { count: number } {
  const error = { type: 'es_rejected_execution_exception', reason: 'rejected execution of coordinating operation' };
  return answerBulks(({ body }) => {
    const ids = [...body.matchAll(/^\{"index":\{"_id":"(\d+)"/gm)].map((match) => match[1]);
    return { status: 200, body: { took: 1, errors: true, items: ids.map((_id) => ({ index: { _id, status: 429, error } })) } };
  });
}

function answerBulks(answer: AnswerInstead): { count: number } {
  const answered = { count: 0 };
  cluster.proxies.elasticsearch?.answer((request) => {
    if (!request.path.includes('_bulk')) return undefined;
    answered.count += 1;
    return answer(request);
  });
  return answered;
}

/** Until the indexer has looked twice whether the indices are in order. */
async function untilLookedAfter(): Promise<void> {
  let looks = 0;
  cluster.proxies.elasticsearch?.answer(({ method, path }) => {
    if (method === 'GET' && path.includes(alias())) looks += 1;
    return undefined;
  });
  await until('the indexer has looked after the indices', () => looks >= 2);
  cluster.proxies.elasticsearch?.heal();
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
  const [settings] = Object.values(await cluster.elasticsearch.indices.getSettings({ index: alias(), flat_settings: true }));
  return settings?.settings?.['index.blocks.read_only_allow_delete'];
}

async function setClusterSettings(persistent: Record<string, unknown>): Promise<void> {
  await cluster.elasticsearch.cluster.putSettings({ persistent });
}

function withoutValues(settings: Record<string, unknown>): Record<string, null> {
  return Object.fromEntries(Object.keys(settings).map((name) => [name, null]));
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

function alias(): string {
  return cluster.env['CONTENT_ALIAS'] ?? '';
}
