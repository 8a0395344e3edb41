import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ContentItem } from '@ugc/items/changes/content-item';
import type { ContentPage } from '@ugc/api/search/page';
import { createNextIndex } from '@ugc/indexer/rebuild/create-index';
import { fillIndex } from '@ugc/indexer/rebuild/fill';
import { createLostShardCheck } from '@ugc/indexer/targets/retire';
import { INDEX_BODY } from '@ugc/shared/contracts/content-index';
import { findTarget, type IndexTarget } from '@ugc/shared/indices/targets';
import { readFileSync } from 'node:fs';
import { ChaosProxy } from '../support/cluster/chaos-proxy.ts';
import { expectNothingLost } from '../support/cluster/oracle.ts';
import { png } from '../support/database/images.ts';
import { storeContent, type StoredFields } from '../support/database/stored-content.ts';
import { expectErrors, expectProblem } from '../support/http/problems.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { rebuildIndex, removeOtherIndices, rollBack, withIndexLock } from '../support/indices/index-lock.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { runs } from '../support/jest/long.ts';
import { until } from '../support/jest/until.ts';
import { startAnotherApi } from '../support/processes/api-alone.ts';
import { failureOf, indexCommand } from '../support/processes/command.ts';
import type { Environment } from '../support/processes/environment.ts';
import { type Service, startService } from '../support/processes/service.ts';

const readJson = <T>(path: string): T => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as T;

type DemoItem = { name: string; description: string; tags: string[]; downloads: number; daysAgo: number };
const DAY_MS = 86_400_000;
const DEMO: StoredFields[] = readJson<{ items: DemoItem[] }>('../../services/api/demo/collection.json').items.map(
  ({ name, description, tags, downloads, daysAgo }, n) => ({
    name,
    description,
    tags,
    downloads,
    creatorId: 1 + (n % 3),
    ratings: n % 4 === 0 ? [1 + (n % 5), 5] : [],
    createdAt: new Date(Date.UTC(2026, 0, 1) - daysAgo * DAY_MS).toISOString(),
  }),
);
const PROMPTS = Object.values(readJson<Record<string, { prompt: string }[]>>('../relevance/prompts.json'))
  .flatMap((prompts) => prompts.map(({ prompt }) => prompt))
  .filter((_, n) => n % runs(8, 1) === 0);

async function startWithDemo(settings: Environment): Promise<Service> {
  const service = await startService(settings);
  await storeContent(service.database, DEMO);
  await service.indexed();
  return service;
}

async function settingsOf({ elasticsearch }: Pick<Service, 'elasticsearch'>, index: string): Promise<Record<string, unknown>> {
  const found = await elasticsearch.indices.getSettings({ index });
  const { uuid: _u, creation_date: _c, provided_name: _p, ...settings } = Object.values(found)[0]?.settings?.index ?? {};
  return settings;
}

describe('an index with three shards', () => {
  const one = forAllTests(() => startWithDemo({ INDEX_SHARDS: '1' }));
  const three = forAllTests(() => startWithDemo({ INDEX_SHARDS: '3' }));

  const expectSame = async (path: string): Promise<void> => {
    const [ofOne, ofThree] = await Promise.all([one.client.get(path), three.client.get(path)]);
    expect({ path, status: ofThree.status, body: ofThree.body }).toEqual({ path, status: 200, body: ofOne.body });
  };
  const query = (parameters: Record<string, string>): string => String(new URLSearchParams(parameters));

  it.each(['relevance', 'best', 'createdAt,desc', 'name', 'avgRating,asc'])(
    'has the lists of an index with one, sorted by %s',
    async (sort) => {
      for (const prompt of PROMPTS) await expectSame(`/api/content?${query({ prompt, sort, size: '20', explain: 'true' })}`);
      for (let page = 0; page < 6; page++) await expectSame(`/api/content?${query({ sort, size: '90', page: String(page) })}`);
    },
  );

  it('has its facets, which are exact, and its suggestions', async () => {
    for (const prompt of ['', ...PROMPTS]) {
      await expectSame(`/api/content/facets?${query({ prompt })}`);
      await expectSame(`/api/content/suggest?${query({ prompt })}`);
    }
  });
});

describe('the settings of the index', () => {
  const service = forAllTests(() => startService({ INDEX_SHARDS: '1' }));
  beforeEach(() => removeOtherIndices(indexDeps(service)));
  const nextIndex = async (): Promise<IndexTarget> =>
    (await findTarget(service, 'next')) ?? Promise.reject(new Error('there is no index of a rebuild'));
  const withSettings = (settings: Environment): Service => ({ ...service, env: { ...service.env, ...settings } });
  const statusWith = async (settings: Environment) =>
    (await indexCommand({ ...service.env, ...settings }, 'index-status', '--json')).json[0] as {
      rebuildChanges: unknown;
      indices: object[];
    };

  it('are by default those of the mapping alone', async () => {
    const index = `${service.alias}-as-the-mapping-says`;
    await service.elasticsearch.indices.create({ index, ...INDEX_BODY });
    expect(await settingsOf(service, service.alias)).toEqual(await settingsOf(service, index));
    await service.elasticsearch.indices.delete({ index });
    expect(await statusWith({})).toMatchObject({ rebuildChanges: [] });
  });

  it('are shown by index:status as what a rebuild would change, and a rebuild applies them', async () => {
    const settings = { INDEX_SHARDS: '3', INDEX_REPLICAS: '0', INDEX_REFRESH_INTERVAL: '2s', INDEX_DATA: 'false' };
    const changes = [
      { variable: 'INDEX_SHARDS', from: '1', to: '3' },
      { variable: 'INDEX_REPLICAS', from: '0-1', to: '0' },
      { variable: 'INDEX_REFRESH_INTERVAL', from: '1s', to: '2s' },
      { variable: 'INDEX_DATA', from: 'true', to: 'false' },
    ];
    expect(await statusWith(settings)).toMatchObject({ rebuildChanges: changes });
    const { stderr } = await indexCommand({ ...service.env, ...settings }, 'index-status');
    expect(stderr).toContain('INDEX_SHARDS is 3, the searched index has 1; npx pnpm index:rebuild changes it');
    expect(failureOf(await indexCommand({ ...service.env, ...settings }, 'index-rebuild'))).toBe('');
    expect(await settingsOf(service, service.alias)).toMatchObject({
      number_of_shards: '3',
      number_of_replicas: '0',
      refresh_interval: '2s',
    });
    expect(await statusWith(settings)).toMatchObject({ rebuildChanges: [] });
    await expectNothingLost(service);
  });

  it('let a rebuild fill the index without replicas and refreshes, and apply them before the swap', async () => {
    const deps = indexDeps(withSettings({ INDEX_SHARDS: '3', INDEX_REPLICAS: '1', INDEX_REFRESH_INTERVAL: '3s' }));
    await storeContent(service.database, [{ name: 'filled' }]);
    const real = deps.elasticsearch.indices;
    const seen: unknown[] = [];
    const see = async (): Promise<void> => {
      const next = await findTarget(service, 'next');
      const { number_of_replicas: replicas, refresh_interval: interval } = next ? await settingsOf(service, next.indexName) : {};
      if (next) seen.push([replicas, interval]);
    };
    const indices = Object.create(real, {
      putSettings: { value: (request: Parameters<typeof real.putSettings>[0]) => see().then(() => real.putSettings(request)) },
      updateAliases: { value: (request: Parameters<typeof real.updateAliases>[0]) => see().then(() => real.updateAliases(request)) },
    });
    const filled: boolean[] = [];
    await rebuildIndex({ ...deps, elasticsearch: Object.create(deps.elasticsearch, { indices: { value: indices } }) }, (phase) => {
      if (phase === 'Filling') filled.push(seen.length === 0);
    });
    expect(filled).not.toContain(false);
    expect(seen).toEqual([
      ['0', '-1'],
      ['1', '3s'],
    ]);
    await expectNothingLost(service);
  });

  it.each([
    ['the number of shards', { INDEX_SHARDS: '2' }, { number_of_shards: '2' }],
    ['INDEX_DATA', { INDEX_DATA: 'false' }, { number_of_shards: '1' }],
  ])('let an unfinished rebuild begin anew if %s is another one', async (_, changed, expected) => {
    const stop = new AbortController();
    await expect(rebuildIndex(indexDeps(service, stop.signal), () => stop.abort())).rejects.toThrow();
    const unfinished = await findTarget(service, 'next');
    expect(unfinished).toBeDefined();
    await rebuildIndex(indexDeps(withSettings(changed)));
    expect(await settingsOf(service, service.alias)).toMatchObject(expected);
    expect(await statusWith(changed)).toMatchObject({ rebuildChanges: [] });
    expect(await service.elasticsearch.indices.exists({ index: unfinished?.indexName ?? '' })).toBe(false);
  });

  it('with a long refresh interval, a request that waits for its change is searchable when it is answered', async () => {
    await rebuildIndex(indexDeps(withSettings({ INDEX_SHARDS: '3', INDEX_REFRESH_INTERVAL: '9m' })));
    const { status, headers } = await service.client.tryUpload({ name: 'waited for' }, 1, { Prefer: 'wait=10' });
    expect({ status, applied: headers.get('preference-applied') }).toEqual({ status: 201, applied: 'wait=10' });
    expect(await service.client.search('"waited for"')).toHaveLength(1);
    await rebuildIndex(indexDeps(service));
  });

  it('end a rebuild whose index has lost a shard with its node, so that changes are searchable again', async () => {
    const deps = indexDeps(service);
    const real = deps.elasticsearch.indices;
    // No node may have it, as if the node of its shard were gone.
    const nowhere = { 'index.routing.allocation.require._name': 'none' };
    const create = ({ settings, ...request }: Parameters<typeof real.create>[0], options: object) =>
      request.index.endsWith('-owners')
        ? real.create({ settings, ...request }, options)
        : real.create({ ...request, settings: { ...settings, ...nowhere }, wait_for_active_shards: 0 }, options);
    const indices = Object.create(real, { create: { value: create } });
    const elasticsearch = Object.create(deps.elasticsearch, { indices: { value: indices } });
    // Without the lock, the indexer would remove an index that is not complete yet.
    await withIndexLock(service.database, async (lock) => {
      await createNextIndex({ ...deps, elasticsearch, lock });
      await createLostShardCheck(0)(deps);
    });
    const next = await nextIndex();
    await expect(fillIndex(deps, next, () => undefined)).rejects.toThrow('it has lost a shard with its node');
    await storeContent(service.database, [{ name: 'while a shard is lost' }]);
    await service.indexed();
    expect(await service.client.search('"while a shard is lost"')).toHaveLength(1);
    await rebuildIndex(deps);
    await expectNothingLost(service);
  });
});

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

  it('leaves out the data of an item that is hidden while the index still finds it', async () => {
    const [first] = await itemsOf('/api/content?prompt=lighthouse&size=1');
    const setTo = (time: string) =>
      service.database.query(`update content set deleted_at = ${time} where content_id = $1`, [first?.contentId]);
    await setTo(`'infinity'`);
    expect(await itemsOf('/api/content?prompt=lighthouse&size=1')).toEqual([{ ...first, data: '' }]);
    await setTo('null');
  });

  it('says with include=thumbnail which items have a picture, from jobs and from a rebuild', async () => {
    const id = await service.client.upload({ ...TEXTS, tags: ['pictured'], thumbnail: png().toString('base64') });
    await service.client.upload({ ...TEXTS, tags: ['pictured'] });
    await service.indexed();
    const pictured = async () =>
      (await itemsOf('/api/content?tags=pictured&include=thumbnail&sort=contentId')).map((item) => (item as ContentItem).hasThumbnail);
    expect(await pictured()).toEqual([true, false]);
    await rebuildIndex(indexDeps(service));
    expect(await pictured()).toEqual([true, false]);
    for (const item of [id, id + 1]) await service.client.send('DELETE', `/api/content/${item}`);
    await service.indexed();
  });

  it('answers similar items with them', async () => {
    const [first] = await itemsOf('/api/content?size=1');
    // The uploads have the same texts, of which similar items have one.
    await expectStored(`/api/content/${first?.contentId}/similar`, 1);
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
