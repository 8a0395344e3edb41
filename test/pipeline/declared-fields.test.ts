import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createEnvironment } from '../support/processes/environment.ts';
import { failureOf, indexCommand } from '../support/processes/command.ts';
import { openStores, startService, type Service } from '../support/processes/service.ts';
import { declareFields } from '../support/database/declare-fields.ts';
import { storeContent } from '../support/database/stored-content.ts';
import { expectNothingLost } from '../support/cluster/oracle.ts';
import { expectProblem } from '../support/http/problems.ts';
import { expectDocuments } from '../support/indices/expect-documents.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { rebuildIndex, rollBack } from '../support/indices/index-lock.ts';
import { createOlderIndex } from '../support/indices/older-index.ts';

const FIRST = { players: { type: 'number' }, studio: { type: 'keyword', searched: true } };
const SECOND = { players: { type: 'keyword' }, loader: { type: 'keyword', many: true } };
const ITEMS = 60;

let service: Service;
beforeAll(async () => {
  const env = await createEnvironment();
  const { close, ...stores } = openStores(env);
  const fields = (n: number) => ({ ...(n % 3 > 0 && { players: n % 7 }), studio: `studio ${n}`, loader: ['fabric'] });
  await storeContent(
    stores.database,
    Array.from({ length: ITEMS }, (_, n) => ({ name: `item ${n}`, fields: fields(n) })),
  );
  await createOlderIndex(stores);
  await declareFields(stores.database, FIRST);
  await close();
  service = await startService(env);
});
afterAll(() => service.stop());

const total = async (query: string): Promise<number> => {
  const { status, body, text } = await service.client.get(`/api/content?${query}`);
  if (status !== 200) throw new Error(`${query} returned ${status}: ${text}`);
  return body.totalElements;
};
const status = async () => (await indexCommand(service.env, 'index-status', '--json')).json[0] as Record<string, unknown>;

it('an index of 1.0.0 refuses what names a field until the rebuild has ended, and status names the fields', async () => {
  for (const [path, parameter] of [
    ['/api/content?where=players:1', 'where'],
    ['/api/content?whereNot=players:1', 'whereNot'],
    ['/api/content?sort=fields.players', 'sort'],
    ['/api/content/facets?where=players:1', 'where'],
  ] as const)
    expect(expectProblem(await service.client.get(path), 503, 'rebuild-due').errors).toMatchObject([{ parameter }]);
  expect((await service.client.get('/api/content/facets?facetFields=studio')).body.facets.fields).toEqual({});
  expect((await service.client.get('/api/content?include=fields&size=1&sort=contentId')).body.content[0].fields).toEqual({
    studio: 'studio 0',
  });
  expect(await status()).toMatchObject({ rebuildDue: true, rebuildFields: ['players', 'studio'] });
  await rebuildIndex(indexDeps(service));
  expect(await status()).toMatchObject({ rebuildDue: false, rebuildFields: [] });
  expect(await total('where=players:1')).toBe(Array.from({ length: ITEMS }, (_, n) => n).filter((n) => n % 3 > 0 && n % 7 === 1).length);
  expect(await total('prompt="studio+17"')).toBe(1);
  await expectDocuments(service);
});

it('other definitions, uploads and rebuilds at once leave every document as its row and its index say', async () => {
  const uploading = new AbortController();
  const uploads = (async () => {
    for (let n = 0; !uploading.signal.aborted; n += 1) {
      await storeContent(service.database, [{ name: `later ${n}`, fields: { players: n % 2 ? 4 : 'four', loader: ['forge', 'mit'] } }]);
    }
  })();
  try {
    await declareFields(service.database, SECOND);
    expect(await status()).toMatchObject({ rebuildDue: true, rebuildFields: ['players', 'loader', 'studio'] });
    await rebuildIndex(indexDeps(service));
    await declareFields(service.database, FIRST);
    await rollBack(indexDeps(service));
  } finally {
    uploading.abort();
    await uploads;
  }
  expect(await status()).toMatchObject({ rebuildDue: false });
  await expectDocuments(service);
  await expectNothingLost(service);
  expect(failureOf(await indexCommand(service.env, 'index-audit'))).toBe('');
});
