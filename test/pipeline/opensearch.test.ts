import type { Values } from '@ugc/fields/values';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { serverAccount } from '@ugc/local-stack/account';
import { opensearchServer } from '@ugc/local-stack/opensearch-server';
import type { Server } from '@ugc/local-stack/server';
import { rm } from 'node:fs/promises';
import { freePorts } from '../support/cluster/cluster-servers.ts';
import { expectNothingLost } from '../support/cluster/oracle.ts';
import { declareFields } from '../support/database/declare-fields.ts';
import { storeContent } from '../support/database/stored-content.ts';
import { indexDeps, indexNames } from '../support/indices/index-deps.ts';
import { removeOtherIndices, rebuildIndex, rollBack } from '../support/indices/index-lock.ts';
import { long } from '../support/jest/long.ts';
import { until } from '../support/jest/until.ts';
import { failureOf, indexCommand } from '../support/processes/command.ts';
import { createEnvironment } from '../support/processes/environment.ts';
import { openStores, startService, type Service } from '../support/processes/service.ts';
import { dataFolder } from '../support/servers/data-folder.ts';

/** More than the section of a deep page. */
const ITEMS = 6_000;
const MIDDLE = 55;
const SIZE = 100;

const FIELDS = {
  depth: { type: 'number' },
  lengths: { type: 'number', many: true },
  built: { type: 'date', facet: true },
  build: { type: 'group', of: { game: 'version', loader: 'keyword' } },
};

/** A third of the items are without `depth` and `lengths`. */
function fieldsOf(n: number): Values {
  const depths: Values = n % 3 === 0 ? {} : { depth: n / 2, lengths: [n / 2, -n] };
  return { ...depths, built: `2026-01-0${1 + (n % 4)}`, build: { game: `1.${n % 10}`, loader: n % 2 ? 'fabric' : 'forge' } };
}

// `SEARCH=opensearch npx pnpm test` runs all tests on OpenSearch. These notice without it when a change breaks it.
long.describe('on OpenSearch', () => {
  let folder: string;
  let server: Server;
  let service: Service;
  beforeAll(async () => {
    folder = await dataFolder('opensearch-');
    const [port = 0] = await freePorts(1);
    // As by default, which no template can change.
    server = opensearchServer({ dataDir: folder, port, as: serverAccount(), settings: { 'action.auto_create_index': true } });
    await server.start();
    const env = await createEnvironment({ ELASTICSEARCH_URL: server.url });
    const { close, ...stores } = openStores(env);
    await declareFields(stores.database, FIELDS);
    await close();
    service = await startService(env);
    const items = Array.from({ length: ITEMS }, (_, n) => ({
      name: `harbour ${String(n).padStart(4, '0')}`,
      tags: [`berth ${n % 3}`],
      fields: fieldsOf(n),
    }));
    await storeContent(service.database, items);
    await service.indexed();
  });
  afterAll(async () => {
    await service.stop();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  long.it('an upload is found, also with a typing error, and suggested, and similar items are found', async () => {
    const id = await service.client.upload({ name: 'Lighthouse at dusk', tags: ['berth 1'] });
    await service.indexed();
    expect(await service.client.search('lighthuose')).toEqual(['Lighthouse at dusk']);
    const suggested = await service.client.get('/api/content/suggest?prompt=lightho');
    expect(suggested.body.completions).toEqual([{ text: 'Lighthouse at dusk', type: 'name', contentId: id }]);
    expect((await service.client.get(`/api/content/${id}/similar`)).body.content).not.toEqual([]);
    expect((await service.client.send('DELETE', `/api/content/${id}`)).status).toBe(204);
    await service.indexed();
    expect(await service.client.search('lighthouse')).toEqual([]);
  });

  const ORDERS: Record<string, string>[] = [
    { sort: 'name' },
    { sort: 'name', prompt: 'harbour' },
    { sort: 'createdAt,desc' },
    { sort: 'relevance', prompt: 'harbour' },
    { sort: 'fields.depth,desc' },
    { sort: 'fields.depth,asc' },
    { sort: 'fields.lengths,asc' },
    { sort: 'fields.built,desc' },
  ];
  long.it('every order has a page far inside of the list, which continues the page before it', async () => {
    for (const order of ORDERS) {
      const before = await service.client.list({ ...order, page: 2 * MIDDLE - 1, size: SIZE / 2 });
      const page = await service.client.list({ ...order, page: MIDDLE, size: SIZE });
      const around = await service.client.list({ ...order, page: 2 * MIDDLE, size: SIZE / 2 });
      expect({ order, statuses: [before, page, around].map(({ status }) => status) }).toEqual({ order, statuses: [200, 200, 200] });
      expect(page.body.totalElements).toBe(ITEMS);
      const ids = page.body.content.map(({ contentId }) => contentId);
      expect(ids).toHaveLength(SIZE);
      expect(ids.slice(0, SIZE / 2)).toEqual(around.body.content.map(({ contentId }) => contentId));
      expect(before.body.content.filter(({ contentId }) => ids.includes(contentId))).toEqual([]);
    }
  });

  long.it('the page far inside of the list by name has the names of its rank', async () => {
    const { body } = await service.client.list({ sort: 'name', page: MIDDLE, size: SIZE });
    const names = Array.from({ length: SIZE }, (_, n) => `harbour ${String(MIDDLE * SIZE + n).padStart(4, '0')}`);
    expect(body.content.map(({ name }) => name)).toEqual(names);
  });

  long.it('declared fields filter, count, and sort with the items without a value last', async () => {
    expect((await service.client.list({ where: 'depth:>=100' })).body.totalElements).toBe(
      Array.from({ length: ITEMS }, (_, n) => n).filter((n) => n >= 200 && n % 3 > 0).length,
    );
    const facets = await service.client.get(
      '/api/content/facets?where=build.game:1.3&where=build.loader:fabric&facetFields=built&facetFields=build.loader',
    );
    expect(facets.body.facets.fields['build.loader'].values).toEqual([{ value: 'fabric', count: ITEMS / 10 }]);
    expect(facets.body.facets.fields['built'].values.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(
      ITEMS / 10,
    );
    for (const direction of ['asc', 'desc']) {
      const { body } = await service.client.list({ sort: `fields.depth,${direction}`, page: 39, size: SIZE, include: 'fields' });
      const depths = body.content.map(({ fields }) => fields?.['depth']);
      expect(depths.every((depth) => typeof depth === 'number')).toBe(true);
      const after = await service.client.list({ sort: `fields.depth,${direction}`, page: 40, size: SIZE, include: 'fields' });
      expect(after.body.content.filter(({ fields }) => 'depth' in (fields ?? {}))).toEqual([]);
    }
  });

  long.it('facets count all matches', async () => {
    const { status, body } = await service.client.get('/api/content/facets?prompt=harbour');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      totalElements: ITEMS,
      facets: { tags: { exact: true, values: [0, 1, 2].map(() => ({ count: ITEMS / 3 })) } },
    });
  });

  long.it('the index is rebuilt, rolled back and audited, and nothing is lost', async () => {
    await rebuildIndex(indexDeps(service));
    await rollBack(indexDeps(service));
    await removeOtherIndices(indexDeps(service));
    expect(failureOf(await indexCommand(service.env, 'index-audit'))).toBe('');
    expect((await service.client.list()).body.totalElements).toBe(ITEMS);
    await expectNothingLost(service);
  });

  long.it('nothing is lost when the index is, and OpenSearch creates another one for a write to it', async () => {
    for (const index of await indexNames(service)) await service.elasticsearch.indices.delete({ index });
    for (let n = 0; n < 20; n++) await service.client.upload({ name: `after the loss ${n}` });
    await until('lists return 200', async () => (await service.client.list()).status === 200);
    await expectNothingLost(service);
    expect(await service.client.search('"after the loss"')).toHaveLength(20);
  });
});
