import { expect, it } from '@jest/globals';
import { auditSearched, indexDeps } from '../support/indices/index-deps.ts';
import { rebuildIndex } from '../support/indices/index-lock.ts';
import { findTarget } from '@ugc/shared/indices/targets';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { startService } from '../support/processes/service.ts';

const service = forAllTests(() => startService());

const edit = (id: number, body: object) => service.client.send('PATCH', `/api/content/${id}`, body, 1, { prefer: 'wait=10' });

/** @returns the ids of the documents of the searched index, also of tombstones */
async function documents(): Promise<number[]> {
  const index = (await findTarget(service, 'search'))?.indexName ?? '';
  await service.elasticsearch.indices.refresh({ index });
  const { hits } = await service.elasticsearch.search({ index, size: 1_000, _source: false });
  return hits.hits.map(({ _id: id }) => Number(id)).toSorted((one, other) => one - other);
}

it('no index has anything of an item that never was public, also after edits, a rebuild, an audit and its deletion', async () => {
  const open = await service.client.upload({ name: 'open' });
  const hidden = await Promise.all(['draft', 'unlisted', 'draft'].map((visibility) => service.client.upload({ visibility })));
  for (const id of hidden) await edit(id, { description: 'edited' });
  await service.indexed();
  expect(await documents()).toEqual([open]);
  await rebuildIndex(indexDeps(service));
  expect(await documents()).toEqual([open]);
  expect(await auditSearched(service, { repair: true })).toEqual([]);
  await service.client.send('DELETE', `/api/content/${hidden[0]}`);
  await service.indexed();
  expect(await documents()).toEqual([open]);
  expect(await auditSearched(service)).toEqual([]);
  expect((await edit(hidden[1] ?? 0, { visibility: 'public' })).headers.get('preference-applied')).toBe('wait=10');
  expect(await documents()).toEqual([open, hidden[1]]);
  expect(await auditSearched(service)).toEqual([]);
});

it('an item that a restore of PostgreSQL has made a draft again leaves the lists with an audit, and can be published', async () => {
  const id = await service.client.upload({ visibility: 'draft', name: 'wombatorium' });
  const before = `select revision, edits, deleted_at from content where content_id = $1`;
  const [draft] = await service.database.query<{ revision: number; edits: number }>(before, [id]);
  await edit(id, { visibility: 'public' });
  expect(await service.client.search('wombatorium')).toEqual(['wombatorium']);
  await service.database.transaction(async (tx) => {
    await tx.query(`update content set deleted_at = 'infinity', revision = $2, edits = $3 where content_id = $1`, [
      id,
      draft?.revision,
      draft?.edits,
    ]);
    await tx.query(`insert into unpublished_content (content_id, creator_id, kind) values ($1, 1, 'draft')`, [id]);
  });
  expect(await auditSearched(service, { repair: true })).toMatchObject([{ contentId: id, difference: 'ahead' }]);
  await service.indexed();
  expect(await service.client.search('wombatorium')).toEqual([]);
  expect(await auditSearched(service)).toEqual([]);
  await edit(id, { visibility: 'public' });
  expect(await service.client.search('wombatorium')).toEqual(['wombatorium']);
});
