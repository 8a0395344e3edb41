import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { toDocument } from '@ugc/indexer/documents/document';
import { fromStored } from '@ugc/fields/definition';
import { INDEXED_CONTENT, type IndexedContent } from '@ugc/shared/contracts/content';
import { listTargets } from '@ugc/shared/indices/targets';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import { createEnvironment } from '../support/processes/environment.ts';
import { failureOf, indexCommand } from '../support/processes/command.ts';
import { openStores, startService, type Service } from '../support/processes/service.ts';
import { declareFields } from '../support/database/declare-fields.ts';
import { storeContent } from '../support/database/stored-content.ts';
import { expectNothingLost } from '../support/cluster/oracle.ts';
import { expectProblem } from '../support/http/problems.ts';
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

/** Every document of every index is what its row and its index's definitions say. */
async function expectDocuments(): Promise<void> {
  await service.indexed();
  const rows = await service.database.query<IndexedContent>(
    `select ${INDEXED_CONTENT} from content c join users u on u.user_id = c.creator_id where deleted_at is null`,
  );
  for (const { indexName, fields, mappingVersion } of await listTargets(service.database)) {
    await service.elasticsearch.indices.refresh({ index: indexName });
    const properties = (await service.elasticsearch.indices.getMapping({ index: indexName }))[indexName]?.mappings._meta?.['fields'] ?? [];
    expect(properties).toEqual(fields);
    for (const row of rows) {
      const document = toDocument(row, NEWEST_RULES, fromStored(fields));
      if (mappingVersion < NEWEST_RULES.mappingVersion || !('values' in document)) continue;
      const paths = Object.entries(document.fields ?? {}).flatMap(([kind, values]) =>
        Object.keys(values).map((name) => `fields.${kind}.${name}`),
      );
      const filter = paths.map((path) => {
        const [, kind = '', name = ''] = path.split('.');
        return { term: { [path]: [document.fields?.[kind]?.[name]].flat()[0] as string } };
      });
      const { hits } = await service.elasticsearch.search({
        index: indexName,
        query: { bool: { filter: [{ term: { contentId: row.contentId } }, ...filter] } },
      });
      expect({ indexName, source: hits.hits.map(({ _source }) => (_source as { values: unknown }).values) }).toEqual({
        indexName,
        source: [row.fields],
      });
    }
  }
}

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
  await expectDocuments();
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
  await expectDocuments();
  await expectNothingLost(service);
  expect(failureOf(await indexCommand(service.env, 'index-audit'))).toBe('');
});
