import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { purge } from '@ugc/indexer/purge/purge';
import { dropRejected, countDropped } from '@ugc/shared/outbox/rejected';
import { findTarget } from '@ugc/shared/indices/targets';
import { markPending } from '@ugc/shared/outbox/mark-pending';
import { indexCommand } from '../support/processes/command.ts';
import { USERS } from '../support/processes/environment.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { rebuildIndex, removeOtherIndices, rollBack } from '../support/indices/index-lock.ts';
import { auditSearched, indexDeps } from '../support/indices/index-deps.ts';
import { insertItems } from '../support/database/insert-items.ts';
import { long } from '../support/jest/long.ts';
import { countOutbox } from '../support/database/outbox.ts';
import { startService } from '../support/processes/service.ts';
import { until } from '../support/jest/until.ts';

const service = forAllTests(() => startService());
beforeAll(async () => {
  await insertItems(service.database, { count: 50 });
  await service.indexed();
});
// Every test begins with one index and without rejected items.
beforeEach(() => removeOtherIndices(indexDeps(service)));
const unindexable: number[] = [];
afterEach(async () => {
  for (const id of unindexable.splice(0)) await deleteItem(id);
  await service.database.query('delete from index_dropped');
});

const searched = async (): Promise<string> => (await findTarget(service, 'search'))?.indexName ?? '';
const statusOf = async (id: number, userId = USERS.ada) => (await service.client.get(`/api/content/${id}/index-status`, userId)).body;
const audit = (options = {}) => auditSearched(service, options);

/** Gives an item a tag that Elasticsearch does not accept, which the API would have rejected. */
async function reject(id: number): Promise<void> {
  unindexable.push(id);
  await service.database.transaction(async (tx) => {
    const changed = await tx.query<{ contentId: number; revision: number }>(
      `update content set tags = array[repeat('x', 40000)], revision = revision + 1 where content_id = $1 returning content_id, revision`,
      [id],
    );
    await markPending(tx, changed);
  });
  await service.indexed();
  expect(await countOutbox(service.database, `content_id = ${id} and rejected_reason is not null`)).toBe(1);
}

async function rejectAndDrop(id: number): Promise<void> {
  await reject(id);
  expect(await dropRejected(service.database, [id])).toEqual([id]);
}

/** An item whose first revision is in the searched index and whose second revision was rejected and dropped. */
async function droppedItem(name: string): Promise<number> {
  const id = await service.client.upload({ name });
  await service.indexed();
  await rejectAndDrop(id);
  return id;
}

async function deleteItem(id: number): Promise<void> {
  await service.client.send('DELETE', `/api/content/${id}`);
  await service.indexed();
}

it('an item whose edit is rejected stays in lists as it was before, and its status says since when', async () => {
  const id = await service.client.upload({ name: 'kept as it was' });
  await service.indexed();
  const before = Date.now();
  await reject(id);
  const [{ pendingSince } = { pendingSince: new Date(0) }] = await service.database.query<{ pendingSince: Date }>(
    'select pending_since from index_outbox where content_id = $1',
    [id],
  );
  // The clocks of the processes and of PostgreSQL are one.
  expect(pendingSince.getTime()).toBeGreaterThanOrEqual(before - 1);
  const since = pendingSince.toISOString().replace('Z', '+00:00');
  expect(await statusOf(id)).toMatchObject({ status: 'rejected', revision: 2, since });
  expect(await service.client.search('kept as it was')).toEqual(['kept as it was']);
  const { stdout } = await indexCommand(service.env, 'index-status', '--item', String(id));
  expect(stdout).toMatch(/has revision 1 \(search\): lists show this earlier state, since 2\S+ and until a later change is accepted/);
});

describe('a dropped item', () => {
  it('has the status dropped, with the reason for its creator, until its next change', async () => {
    const id = await droppedItem('dropped once');
    const dropped = { contentId: id, revision: 2, status: 'dropped', since: expect.stringMatching(/\+00:00$/) };
    expect(await statusOf(id)).toEqual({ ...dropped, reason: expect.stringContaining('tagKeys') });
    expect(await statusOf(id, USERS.boris)).toEqual(dropped);
    const ofItem = await indexCommand(service.env, 'index-status', '--item', String(id));
    expect(ofItem.stdout).toMatch(/has revision 1 \(search\): lists show this earlier state, since 2\S+ and until/);
    const { stdout } = await indexCommand(service.env, 'index-status');
    expect(stdout).toMatch(/^dropped +1, until/m);
    expect(await countDropped(service.database)).toBe(1);

    await service.client.send('PATCH', `/api/content/${id}`, { tags: ['accepted'] });
    await service.indexed();
    expect(await statusOf(id)).toEqual({ contentId: id, revision: 3, status: 'indexed' });
    expect(await countDropped(service.database)).toBe(0);
    expect(await service.client.search('accepted')).toEqual(['dropped once']);
    await service.elasticsearch.delete({ index: await searched(), id: String(id), version: 3, version_type: 'external_gte' });
    expect(await audit()).toMatchObject([{ contentId: id, difference: 'missing' }]);
  });

  long.it('has the status rejected while its next change is rejected, and can be dropped again', async () => {
    const id = await droppedItem('dropped twice');
    await reject(id);
    expect(await statusOf(id)).toMatchObject({ status: 'rejected', revision: 3 });
    expect(await countDropped(service.database)).toBe(0);
    await dropRejected(service.database, 'all');
    expect(await statusOf(id)).toMatchObject({ status: 'dropped', revision: 3 });
  });

  it('is listed by the audit as dropped, counts as no difference and is not repaired', async () => {
    const known = await droppedItem('known to the index');
    const [unknown = 0] = await insertItems(service.database, { count: 1, pending: false });
    await rejectAndDrop(unknown);
    const dropped = [
      { contentId: known, difference: 'dropped', revision: 2, indexedRevision: 1 },
      { contentId: unknown, difference: 'dropped', revision: 2, indexedRevision: null },
    ];
    const json = [...dropped, { missing: 0, stale: 0, ahead: 0, orphaned: 0, dropped: 2 }];
    expect(await indexCommand(service.env, 'index-audit', '--json')).toMatchObject({ code: 0, json });
    expect(await audit({ repair: true })).toMatchObject(dropped);
    expect(await countOutbox(service.database)).toBe(0);
    expect(await audit()).toMatchObject(dropped);
  });

  long.it('counts as a difference when the index has a newer revision than PostgreSQL', async () => {
    const id = await droppedItem('restored');
    await service.elasticsearch.index({
      index: await searched(),
      id: String(id),
      version: 9,
      version_type: 'external',
      document: { contentId: id, deleted: false },
    });
    const json = [
      { contentId: id, difference: 'ahead', indexedRevision: 9 },
      { ahead: 1, dropped: 0 },
    ];
    expect(await indexCommand(service.env, 'index-audit', '--json')).toMatchObject({ code: 1, json });
    await audit({ repair: true });
    await until('the item is rejected', async () => (await statusOf(id)).status === 'rejected');
  });
});

describe('with a dropped item', () => {
  it('a rebuild fills and swaps the new index and does not reject the item again', async () => {
    const id = await droppedItem('dropped before a rebuild');
    const result = await indexCommand(service.env, 'index-rebuild', '--json');
    expect(result).toMatchObject({ code: 0, stderr: expect.not.stringContaining('rejects') });
    expect(await countOutbox(service.database)).toBe(0);
    expect(await statusOf(id)).toMatchObject({ status: 'dropped' });
    expect(await audit()).toMatchObject([{ contentId: id, difference: 'dropped' }]);
  });

  long.it('the previous index is complete and can be rolled back to', async () => {
    await rebuildIndex(indexDeps(service));
    const previous = (await findTarget(service, 'previous'))?.indexName;
    await droppedItem('in both');
    await rollBack(indexDeps(service));
    expect(await searched()).toBe(previous);
  });

  long.it('a rollback to an index with an older revision of the item than the searched index fails', async () => {
    const id = await droppedItem('only in the older index');
    const before = await searched();
    await rebuildIndex(indexDeps(service));
    await rollBack(indexDeps(service));
    expect(await searched()).toBe(before);
    await expect(rollBack(indexDeps(service))).rejects.toThrow(`item ${id} is older than in ${before}`);
  });
});

it('a dropped item that a new index accepts no longer counts as dropped', async () => {
  const id = await service.client.upload({ name: 'accepted after all' });
  await service.indexed();
  await service.database.query(`insert into index_dropped (content_id, revision, reason) values ($1, 1, 'an older mapping')`, [id]);
  expect(await statusOf(id)).toMatchObject({ status: 'dropped' });
  await rebuildIndex(indexDeps(service));
  expect(await statusOf(id)).toEqual({ contentId: id, revision: 1, status: 'indexed' });
});

it('a deleted item does not count as dropped and cannot be dropped, and the purge removes its row', async () => {
  const dropped = await droppedItem('dropped, then deleted');
  await deleteItem(dropped);
  expect(await audit()).toEqual([]);
  const rejected = await service.client.upload({ name: 'rejected, then deleted' });
  await service.indexed();
  await reject(rejected);
  await deleteItem(rejected);
  expect(await dropRejected(service.database, [rejected])).toEqual([]);
  const kept = await droppedItem('still dropped');
  await service.database.query(`update index_dropped set dropped_at = dropped_at - interval '1 hour'`);
  await purge(indexDeps(service));
  expect(await service.database.query('select content_id from index_dropped')).toEqual([{ contentId: kept }]);
});
