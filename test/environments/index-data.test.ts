import { describe, expect, it } from '@jest/globals';
import type { ContentPage } from '@ugc/api/search/page';
import { ChaosProxy } from '../support/cluster/chaos-proxy.ts';
import { expectNothingLost } from '../support/cluster/oracle.ts';
import { storeContent } from '../support/database/stored-content.ts';
import { expectErrors, expectProblem } from '../support/http/problems.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { rebuildIndex, rollBack } from '../support/indices/index-lock.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';
import { startAnotherApi } from '../support/processes/another-api.ts';
import { startService, type Service } from '../support/processes/service.ts';

const LONG = 'ü"\u0001'.repeat(25_000);
const TEXTS = { name: 'harbour lighthouse at night', description: 'a tall harbour lighthouse' };

async function startWithItems(): Promise<Service> {
  const service = await startService({ INDEX_DATA: 'false', PAGE_MAX_BYTES: '2000000' });
  for (const data of ['first', LONG, '', LONG]) await service.client.upload({ ...TEXTS, data });
  await service.indexed();
  return service;
}

describe('an index without `data` (INDEX_DATA=false)', () => {
  const service = forAllTests(startWithItems);
  const withData = (value: boolean): Service => ({ ...service, env: { ...service.env, INDEX_DATA: String(value) } });

  const itemsOf = async (path: string): Promise<{ contentId: number }[]> => {
    const { status, body } = await service.client.get(path);
    expect(status).toBe(200);
    return (body as ContentPage).content;
  };
  /** That the items of a list are those that are read one by one. */
  const expectStored = async (path: string, count: number): Promise<void> => {
    const items = await itemsOf(path);
    expect(items).toHaveLength(count);
    for (const item of items) expect((await service.client.get(`/api/content/${item.contentId}`)).body).toEqual(item);
  };
  const fieldsOf = async (): Promise<string[]> => {
    const { hits } = await service.elasticsearch.search({ index: service.alias, size: 100 });
    return hits.hits.flatMap(({ _source }) => Object.keys(_source as object));
  };
  const receivedBytes = async (): Promise<number> => {
    const { _all } = await service.elasticsearch.indices.stats({ index: service.alias, metric: 'translog' });
    return _all.primaries?.translog?.size_in_bytes ?? NaN;
  };

  it('neither keeps nor receives it, from jobs and from a rebuild', async () => {
    const expectNone = async (): Promise<void> => {
      expect(await fieldsOf()).not.toContain('data');
      expect(await receivedBytes()).toBeLessThan(LONG.length);
    };
    await expectNone();
    await rebuildIndex(indexDeps(service));
    await expectNone();
    await expectNothingLost(service);
  });

  it.each([
    ['the default list', '/api/content', 4],
    ['a part of it', '/api/content?size=2&page=1', 2],
    ['a slice of it', '/api/content?totals=false&size=3', 3],
    ['a prompt', '/api/content?prompt=lighthouse', 4],
    ['an empty page', '/api/content?prompt=lighthouse&page=9', 0],
  ])('answers %s with the items as PostgreSQL has them', async (_, path, count) => {
    await expectStored(path, count);
  });

  it('answers similar items with them', async () => {
    const [first] = await itemsOf('/api/content?size=1');
    await expectStored(`/api/content/${first?.contentId}/similar`, 2);
  });

  it('answers a summary without PostgreSQL, and other lists with 500', async () => {
    const proxy = await ChaosProxy.before(service.env['DATABASE_URL'] ?? '');
    const api = await startAnotherApi({ ...service.env, DATABASE_URL: proxy.url });
    try {
      const summary = '/api/content?prompt=lighthouse&fields=summary';
      const expected = await api.client.get(summary);
      expect((await api.client.get('/api/content')).status).toBe(200);
      proxy.reset();
      await until('PostgreSQL is away', async () => (await api.client.get('/api/content')).status !== 200);
      expect(await api.client.get(summary)).toMatchObject({ status: 200, body: expected.body });
      const lists = await Promise.all(['/api/content', '/api/content', '/api/content?prompt=night'].map((path) => api.client.get(path)));
      for (const response of lists) expectProblem(response, 500);
      proxy.restore();
      await until('PostgreSQL is back', async () => (await api.client.get('/api/content')).status === 200);
    } finally {
      await api.stop();
      await proxy.close();
    }
  });

  it('refuses a page above PAGE_MAX_BYTES, by the bytes of the response, and then answers smaller ones', async () => {
    await storeContent(
      service.database,
      Array.from({ length: 5 }, () => ({ name: 'escaped', data: '\u0001'.repeat(90_000) })),
    );
    await service.indexed();
    expectErrors(await service.client.list({ prompt: 'escaped', size: 5 }), ['size']);
    expect(await itemsOf('/api/content?prompt=escaped&size=3')).toHaveLength(3);
  });

  it('has it again after a rebuild with INDEX_DATA=true, and is without it after a rollback', async () => {
    const expected = await itemsOf('/api/content?prompt=lighthouse');
    await rebuildIndex(indexDeps(withData(true)));
    expect(await fieldsOf()).toContain('data');
    expect(await itemsOf('/api/content?prompt=lighthouse')).toEqual(expected);
    await service.client.upload({ ...TEXTS, data: 'written to both' });
    await service.indexed();
    expect((await itemsOf('/api/content?prompt=lighthouse')).length).toBe(expected.length + 1);
    await rollBack(indexDeps(withData(true)));
    expect(await fieldsOf()).not.toContain('data');
    await expectStored('/api/content?prompt=lighthouse', expected.length + 1);
  });

  it('leaves out an item that PostgreSQL does not have any more', async () => {
    const [id = 0] = await storeContent(service.database, [{ name: 'vanished' }, { name: 'vanished too' }]);
    await service.indexed();
    await service.database.query('delete from content where content_id = $1', [id]);
    expect((await itemsOf('/api/content?prompt=vanished')).map(({ contentId }) => contentId)).toEqual([id + 1]);
  });
});
