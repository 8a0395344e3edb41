import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { pauseIndexing } from '@ugc/shared/indices/pause';
import { INDEX_BODY } from '@ugc/shared/contracts/content-index';
import { startCluster } from '../support/cluster/cluster.ts';
import { until } from '../support/jest/until.ts';
import { startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import type { ApiResponse } from '../support/http/client.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { expectErrors, expectProblem } from '../support/http/problems.ts';
import { startService, type Service } from '../support/processes/service.ts';
import { storeContent } from '../support/database/stored-content.ts';

/** Documents per bulk request, few enough for a slow machine. */
const BATCH_SIZE = 4_000;
const CREATED_AT = '2026-01-01T00:00:00.000Z';

/** Writes documents directly to the index: uploading that many would take minutes. */
async function fill({ elasticsearch, env }: Service, first: number, count: number): Promise<void> {
  for (let start = first; start < first + count; start += BATCH_SIZE) {
    const ids = Array.from({ length: Math.min(BATCH_SIZE, first + count - start) }, (_, n) => start + n);
    const operations = ids.flatMap((contentId) => [
      { index: {} },
      { contentId, createdAt: CREATED_AT, updatedAt: CREATED_AT, deleted: false },
    ]);
    const { errors } = await elasticsearch.bulk({ index: env['CONTENT_ALIAS'] ?? '', operations });
    expect(errors).toBe(false);
  }
  await elasticsearch.indices.refresh({ index: env['CONTENT_ALIAS'] ?? '' });
}

describe('a list of 12,000 items', () => {
  const service = forAllTests(() => startService());
  beforeAll(async () => {
    await fill(service, 1, 12_000);
  });
  const page = (parameters: Record<string, string | number>): Promise<ApiResponse> =>
    service.client.list({ sort: 'contentId,asc', ...parameters });

  it.each([
    [0, 200, 1, 200],
    [49, 200, 9_801, 200],
    [50, 200, 10_001, 200],
    [59, 200, 11_801, 200],
    [79, 150, 11_851, 150],
    [80, 149, 11_921, 80],
    [11_999, 1, 12_000, 1],
  ])('returns page %i of size %i with the exact total', async (number, size, first, found) => {
    const { status, body } = await page({ page: number, size });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      number,
      size,
      numberOfElements: found,
      totalElements: 12_000,
      totalPages: Math.ceil(12_000 / size),
      last: first + found > 12_000,
    });
    expect(body.content.map(({ contentId }: { contentId: number }) => contentId)).toEqual(
      Array.from({ length: found }, (_, n) => first + n),
    );
  });

  it('returns an empty page with the exact total past the end', async () => {
    for (const number of [60, 61, 2_147_483_647])
      expect((await page({ page: number, size: 200 })).body).toMatchObject({
        content: [],
        empty: true,
        totalElements: 12_000,
        last: true,
        number,
      });
  });
});

describe('a list returns 500 instead of an incomplete page', () => {
  const service = forAllTests(() => startService());
  let alias: string;
  beforeAll(async () => {
    alias = service.env['CONTENT_ALIAS'] ?? '';
    await service.client.upload({ name: 'kettle' });
    await service.indexed();
    // Otherwise the indexer repairs the alias within seconds.
    await pauseIndexing(service.database);
  });

  const others = ['closed', 'unassigned', 'second'];
  afterEach(async () => {
    await service.elasticsearch.indices.delete({ index: others.map((name) => `${alias}-${name}`), ignore_unavailable: true });
    expect((await service.client.list()).body).toMatchObject({ totalElements: 1 });
  });
  const expectListsFail = async (): Promise<void> => {
    for (const parameters of [{}, { prompt: 'kettle' }, { page: 1_000_000 }] as Record<string, string | number>[])
      expectProblem(await service.client.list(parameters), 500);
  };

  it('when an index of the alias is closed', async () => {
    await service.elasticsearch.indices.create({ index: `${alias}-closed`, aliases: { [alias]: {} } });
    await service.elasticsearch.indices.close({ index: `${alias}-closed` });
    await expectListsFail();
  });

  it('when a shard is not assigned to a node', async () => {
    await service.elasticsearch.indices.create({
      index: `${alias}-unassigned`,
      settings: { 'index.routing.allocation.require._name': 'nowhere' },
      aliases: { [alias]: {} },
      wait_for_active_shards: 0,
    });
    await expectListsFail();
  });

  it('when the alias has a second index', async () => {
    await service.elasticsearch.indices.create({ index: `${alias}-second`, ...INDEX_BODY, aliases: { [alias]: {} } });
    await expectListsFail();
  });
});

describe('a list of very large items', () => {
  it('returns 400 for a page above PAGE_MAX_BYTES, and smaller pages with every item', async () => {
    const service = await startService({ PAGE_MAX_BYTES: '1048576' });
    await storeContent(
      service.database,
      Array.from({ length: 6 }, () => ({ data: 'x'.repeat(250_000) })),
    );
    await service.indexed();
    expectErrors(await service.client.list({ size: 6 }), ['size']);
    for (const page of [0, 1])
      expect((await service.client.list({ size: 3, page })).body).toMatchObject({ numberOfElements: 3, totalElements: 6 });
    await service.stop();
  });
});

describe('the API without its index', () => {
  const FAULTS: [string, (api: ApiAlone, index: string, alias: string) => Promise<unknown>][] = [
    ['alias is missing', ({ elasticsearch }, index, name) => elasticsearch.indices.deleteAlias({ index, name })],
    ['index is missing', ({ elasticsearch }, index) => elasticsearch.indices.delete({ index })],
    ['index is closed', ({ elasticsearch }, index) => elasticsearch.indices.close({ index })],
  ];

  it.each(FAULTS)('returns 500 for lists when the %s, while reads and uploads succeed', async (_, breakIndex) => {
    const api = await startApiAlone();
    const alias = api.env['CONTENT_ALIAS'] ?? '';
    await api.elasticsearch.indices.create({ index: `${alias}-v1`, ...INDEX_BODY, aliases: { [alias]: {} } });
    const id = await api.client.upload();
    expect((await api.client.list()).status).toBe(200);
    await breakIndex(api, `${alias}-v1`, alias);
    const response = await api.client.list();
    expect(expectProblem(response, 500).detail).toBe('A data store that this request needs is unavailable.');
    expect(response.text).not.toMatch(/elastic|index|alias|shard|stack|node_modules/i);
    expect((await api.client.get(`/api/content/${id}`)).status).toBe(200);
    expect((await api.client.tryUpload()).status).toBe(201);
    await api.stop();
  });
});

it('the log and the readiness say how to open an index that is closed', async () => {
  const api = await startApiAlone({ LOG_LEVEL: 'warn' });
  const index = `${api.env['CONTENT_ALIAS']}-v1`;
  await api.elasticsearch.indices.create({ index, ...INDEX_BODY, aliases: { [api.env['CONTENT_ALIAS'] ?? '']: {} } });
  await api.elasticsearch.indices.close({ index });
  expectProblem(await api.client.list(), 500);
  const advice = `${index} is closed in Elasticsearch: open it with POST /${index}/_open`;
  expect(api.logged.join('')).toContain(advice);
  await until('the readiness says so', async () => (await api.client.get('/health/ready')).text.includes(advice));
  await api.elasticsearch.indices.open({ index });
  await until('lists succeed', async () => (await api.client.list()).status === 200);
  await api.stop();
});

describe('the API with an index that cannot be sorted', () => {
  it('returns 500 for lists, because a shard fails during the search', async () => {
    const api = await startApiAlone();
    const alias = api.env['CONTENT_ALIAS'] ?? '';
    const properties = { createdAt: { type: 'text' as const }, deleted: { type: 'boolean' as const } };
    const mappings = { ...INDEX_BODY.mappings, properties };
    await api.elasticsearch.indices.create({ index: `${alias}-broken`, mappings, aliases: { [alias]: {} } });
    await api.elasticsearch.index({ index: `${alias}-broken`, document: { createdAt: 'x', deleted: false }, refresh: true });
    expect(expectProblem(await api.client.list(), 500).detail).toMatch('An internal error occurred.');
    await api.stop();
  });
});

describe('with a higher LIST_TIMEOUT_MS', () => {
  const slow = forAllTests(() => startCluster({ proxied: ['elasticsearch'] }, { LIST_TIMEOUT_MS: '60000' }));

  it('a list waits for an Elasticsearch that takes longer than a list by default', async () => {
    await slow.client.upload({ name: 'Patience' });
    await slow.indexed();
    slow.proxies.elasticsearch?.delay(2_000);
    const { status, body } = await slow.client.list();
    slow.proxies.elasticsearch?.restore();
    expect({ status, total: body.totalElements }).toEqual({ status: 200, total: 1 });
  });
});
