import { expect, it } from '@jest/globals';
import { auditSearched, indexDeps } from '../support/indices/index-deps.ts';
import { rebuildIndex } from '../support/indices/index-lock.ts';
import { pauseIndexing, resumeIndexing } from '@ugc/shared/indices/index-control';
import { findTarget } from '@ugc/shared/indices/targets';
import { BULK_PENDING_LIMIT, countPendingUpTo, countRows } from '@ugc/shared/outbox/backlog';
import type { Tx } from '@ugc/shared/postgres/postgres';
import { createLog } from '@ugc/shared/process/log';
import { publishScheduled } from '@ugc/items/people/publish-due';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';
import { indexCommand } from '../support/processes/command.ts';
import { createEnvironment } from '../support/processes/environment.ts';
import { openStores, startService } from '../support/processes/service.ts';

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

it('what a restore of PostgreSQL has left in lists leaves them with an audit, also if it is deleted, or a draft, of the same revision', async () => {
  const [deleted, draft] = [await service.client.upload({ name: 'quokkarium' }), await service.client.upload({ name: 'quokkarium' })];
  await edit(deleted, { description: 'published' });
  await service.indexed();
  // A draft of the backup was published in the lost state and is deleted now; another one has got the id of a lost item.
  const takeBack = async (id: number): Promise<void> => {
    await service.database.query(`update content set deleted_at = 'infinity' where content_id = $1`, [id]);
    await service.database.query(`insert into unpublished_content (content_id, creator_id, kind) values ($1, 1, 'draft')`, [id]);
  };
  await service.database.query('update content set revision = 1 where content_id = $1', [deleted]);
  for (const id of [deleted, draft]) await takeBack(id);
  await service.client.send('DELETE', `/api/content/${deleted}`);
  expect(await auditSearched(service, { repair: true })).toEqual([
    { contentId: deleted, difference: 'ahead', revision: 2, indexedRevision: 2 },
    { contentId: draft, difference: 'ahead', revision: 1, indexedRevision: 1 },
  ]);
  await service.indexed();
  expect([await service.client.search('quokkarium'), await auditSearched(service)]).toEqual([[], []]);
});

it('an audit after a restore of PostgreSQL counts what was withheld since, before lists show it again', async () => {
  const [withdrawn = 0, deleted = 0, edited = 0] = await Promise.all(['', '', ''].map(() => service.client.upload({ name: 'restored' })));
  await service.indexed();
  const backup = await service.database.query<{ contentId: number; revision: number }>(
    'select content_id, revision from content where content_id = any($1)',
    [[withdrawn, deleted, edited]],
  );
  await edit(withdrawn, { visibility: 'draft' });
  await edit(edited, { description: 'edited' });
  await service.client.send('DELETE', `/api/content/${deleted}`);
  await service.indexed();
  for (const { contentId, revision } of backup)
    await service.database.transaction(async (tx) => {
      await tx.query('delete from unpublished_content where content_id = $1', [contentId]);
      await tx.query(`update content set deleted_at = null, name = 'restored', revision = $2 where content_id = $1`, [contentId, revision]);
    });
  const found = await auditSearched(service);
  const states = Object.fromEntries(found.map(({ contentId, difference, withheld }) => [contentId, [difference, withheld]]));
  expect(states).toEqual({ [withdrawn]: ['ahead', true], [deleted]: ['ahead', true], [edited]: ['ahead', undefined] });
  expect((await indexCommand(service.env, 'index-audit')).stderr).toContain('2 of the items that are ahead are withheld');
  expect((await indexCommand(service.env, 'index-audit', '--repair', '--json')).json.at(-1)).toMatchObject({ ahead: 3, withheld: 2 });
});

const [MANY, OTHER] = [2, 3];

/** Drafts of a creator that have been due for this time. */
const storeDue = ({ query }: Pick<Tx, 'query'>, creatorId: number, count: number, due: string) =>
  query(
    `with stored as (
       insert into content (creator_id, name, description, data, version, deleted_at)
       select $1, 'due ' || n, '', '', 1, 'infinity' from generate_series(1, $2::int) n returning content_id
     )
     insert into unpublished_content (content_id, creator_id, kind, publish_at, may_publish)
     select content_id, $1, 'draft', now() - $3::interval, true from stored`,
    [creatorId, count, due],
  );
const countDue = async (creatorId: number): Promise<number> =>
  countRows(service.database, 'select count(*) from unpublished_content where creator_id = $1', [creatorId]);

it('the many due items of one creator hold up nobody: an item that is due later, of somebody else, is in the first batch', async () => {
  await service.database.transaction(async (tx) => {
    await storeDue(tx, MANY, 5_000, '1 h');
    await storeDue(tx, OTHER, 1, '1 s');
  });
  await until('all are public', async () => (await countDue(MANY)) + (await countDue(OTHER)) === 0);
  // What one transaction publishes has its time.
  const batches = await service.database.query<{ items: number; others: number }>(
    `select count(*) as items, count(*) filter (where creator_id = $2) as others from content where creator_id in ($1, $2)
     group by created_at order by created_at`,
    [MANY, OTHER],
  );
  expect(batches[0]).toEqual({ items: 500, others: 1 });
  expect(batches.reduce((sum, { items }) => sum + items, 0)).toBe(5_001);
});

it('a process that stops publishes no batch of due items after the present one', async () => {
  const { database, close } = openStores(await createEnvironment());
  try {
    await storeDue(database, MANY, 2_000, '1 h');
    let stopped: Promise<void> | undefined;
    const publishing = publishScheduled({
      database,
      log: createLog('test', 'silent'),
      onPublished: () => void (stopped ??= publishing.stop()),
    });
    await until('a batch is public', () => stopped !== undefined);
    await stopped;
    expect(await countRows(database, 'select count(*) from unpublished_content')).toBe(1_500);
  } finally {
    await close();
  }
});

it('while many changes are pending, the many due items of one creator wait, and those of others are published', async () => {
  await pauseIndexing(service.database);
  await storeDue(service.database, MANY, 5_000, '1 h');
  const isBusy = async (): Promise<boolean> => (await countPendingUpTo(service.database, BULK_PENDING_LIMIT)) >= BULK_PENDING_LIMIT;
  await until('many changes are pending', isBusy);
  for (let round = 0; round < 5; round++) {
    await storeDue(service.database, OTHER, 1, '1 s');
    await until('the item of somebody else is public', async () => (await countDue(OTHER)) === 0);
  }
  // Each round takes a batch of 500 at least.
  expect(await countDue(MANY)).toBeGreaterThan(2_000);
  await resumeIndexing(service.database);
  await until('all are public', async () => (await countDue(MANY)) === 0);
});
