import { beforeAll, expect, it } from '@jest/globals';
import { AUDIT_LOCK, compareIndex, type Difference } from '@ugc/indexer/comparison/compare';
import { readComparison } from '@ugc/shared/indices/comparison';
import { pauseIndexing, resumeIndexing } from '@ugc/shared/indices/index-control';
import { findTarget } from '@ugc/shared/indices/targets';
import { dropRejected } from '@ugc/shared/outbox/rejected';
import { withLock } from '@ugc/shared/postgres/locks';
import { indexCommand } from '../support/processes/command.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { auditSearched, indexDeps } from '../support/indices/index-deps.ts';
import { insertItems, insertPoison } from '../support/database/insert-items.ts';
import { expectNothingLost } from '../support/cluster/oracle.ts';
import { startService } from '../support/processes/service.ts';

const service = forAllTests(() => startService());
let ids: number[];
let index: string;
beforeAll(async () => {
  ids = await insertItems(service.database, { count: 1_200 });
  await service.indexed();
  index = (await findTarget(service, 'search'))?.indexName ?? '';
});

async function compare(): Promise<Difference[]> {
  const found: Difference[] = [];
  for await (const difference of compareIndex(indexDeps(service), index, () => undefined)) found.push(difference);
  return found;
}

it('an audit of a correct index reports no difference, also while items change', async () => {
  const stop = new AbortController();
  const traffic = (async () => {
    for (let n = 0; !stop.signal.aborted; n++) {
      await service.client.upload({ name: `during the audit ${n}` });
      await service.client.send('PATCH', `/api/content/${ids[n % 5]}`, { name: `changed ${n}` });
      await service.client.send('DELETE', `/api/content/${ids[20 + (n % 1_000)]}`);
    }
  })();
  try {
    for (let round = 0; round < 3; round++) expect(await compare()).toEqual([]);
  } finally {
    stop.abort();
    await traffic;
  }
  await service.indexed();
});

it('a second audit exits with code 75 while one is running', async () => {
  await withLock(service.database, AUDIT_LOCK, async () => {
    expect(await indexCommand(service.env, 'index-audit')).toMatchObject({ code: 75, stderr: expect.stringContaining('try again') });
  });
});

it.each([
  ['without a content ID', () => ({ name: 'by hand' })],
  ['with the content ID of an item', () => ({ contentId: ids[3] })],
])('an audit names a document %s whose ID is not a content ID', async (_, document) => {
  await service.elasticsearch.index({ index, id: 'stray', document: document(), refresh: true });
  await expect(compare()).rejects.toThrow('document "stray"');
  await service.elasticsearch.delete({ index, id: 'stray', refresh: true });
});

it('an audit reports missing, stale, ahead and orphaned items, and --repair corrects them', async () => {
  const [missing = 0, stale = 0, ahead = 0, deleted = 0] = ids.slice(-4);
  const orphaned = 1_000_000;
  const { database, elasticsearch } = service;
  await service.client.send('DELETE', `/api/content/${deleted}`);
  await service.indexed();
  // A deleted item without a tombstone is no difference.
  for (const id of [missing, deleted]) await elasticsearch.delete({ index, id: String(id) });
  await database.query('update content set revision = 7 where content_id = $1', [stale]);
  const newer = (id: number) => ({
    index,
    id: String(id),
    version: 9,
    version_type: 'external' as const,
    document: { contentId: id, deleted: false },
  });
  await elasticsearch.index(newer(ahead));
  await elasticsearch.index(newer(orphaned));

  const expected = [
    { contentId: missing, difference: 'missing', revision: 1, indexedRevision: null },
    { contentId: stale, difference: 'stale', revision: 7, indexedRevision: 1 },
    { contentId: ahead, difference: 'ahead', revision: 1, indexedRevision: 9 },
    { contentId: orphaned, difference: 'orphaned', revision: null, indexedRevision: 9 },
  ];
  const counts = { missing: 1, stale: 1, ahead: 1, orphaned: 1 };
  expect(await indexCommand(service.env, 'index-audit', '--json')).toMatchObject({
    code: 1,
    json: [...expected, { ...counts, repairing: false }],
  });
  expect(await indexCommand(service.env, 'index-audit', '--repair', '--json')).toMatchObject({
    code: 0,
    json: [...expected, { ...counts, repairing: true }],
  });
  await service.indexed();
  // The advice to run the command that has just run does not stay.
  expect((await readComparison(database)).ahead).toBeNull();
  await database.query(`update index_ahead set items = 2, last_seen_at = clock_timestamp()`);
  expect((await readComparison(database)).ahead).toMatchObject({ items: 2 });
  expect(await compare()).toEqual([]);
  expect(await indexCommand(service.env, 'index-audit')).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/Comparing ([\d,]+)\/\1\n$/),
  });
  expect(await elasticsearch.exists({ index, id: String(orphaned) })).toBe(false);
});

it('a pending or rejected change is no difference', async () => {
  await insertPoison(service.database);
  await service.indexed();
  await pauseIndexing(service.database);
  await service.client.upload({ name: 'pending' });
  expect(await compare()).toEqual([]);
  await resumeIndexing(service.database);
  await dropRejected(service.database, 'all');
  await service.database.query(`delete from content where name = 'poison'`);
  await service.indexed();
});

it('an item in the outbox that PostgreSQL does not have is removed from index and outbox', async () => {
  const id = await service.client.upload({ name: 'removed by hand' });
  await service.indexed();
  await service.database.query('delete from content where content_id = $1', [id]);
  await service.database.query('insert into index_outbox (content_id, revision) values ($1, 1)', [id]);
  await service.indexed();
  expect(await service.client.search('"removed by hand"')).toEqual([]);
});

it('no item is lost after the audits and repairs above', async () => {
  await service.database.query('delete from content where deleted_at is not null');
  await auditSearched(service, { repair: true });
  await expectNothingLost(service);
});
