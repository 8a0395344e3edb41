import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { fillIndex } from '@ugc/indexer/rebuild/fill';
import { createNextIndex } from '@ugc/indexer/rebuild/create-index';
import { readRevisions } from '@ugc/indexer/documents/read-revisions';
import { removeIndex } from '@ugc/indexer/targets/target-indices';
import { indexContent } from '@ugc/indexer/jobs/index-content';
import { purge } from '@ugc/indexer/purge/purge';
import { createRestoreCheck } from '@ugc/indexer/comparison/repair-restored';
import { repairItems } from '@ugc/indexer/conflicts/resolve-conflicts';
import { readComparison } from '@ugc/shared/indices/comparison';
import { findTarget } from '@ugc/shared/indices/targets';
import { claimAll, deliver, deliverAll, stopDelivery } from '../support/cluster/delivery.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { withIndexLock } from '../support/indices/index-lock.ts';
import { auditSearched, indexDeps } from '../support/indices/index-deps.ts';
import { indexCommand } from '../support/processes/command.ts';
import { insertItems } from '../support/database/insert-items.ts';
import { countLockWaits } from '../support/database/sessions.ts';
import { startService } from '../support/processes/service.ts';
import { until } from '../support/jest/until.ts';

const service = forAllTests(() => startService());
let index: string;
beforeAll(async () => {
  // The alias points to the index before PostgreSQL lists it as the searched one.
  await until('there is a searched index', async () => (await findTarget(service, 'search')) !== undefined);
  await stopDelivery(service);
  index = (await findTarget(service, 'search'))?.indexName ?? '';
});
beforeEach(() => deliverAll(service));

/** Writes the document of a state that PostgreSQL does not have any more. */
async function writeLost(contentId: number, version: number, indexName = index): Promise<void> {
  const document = { contentId, creatorId: 2, name: 'lost', nameSort: 'lost', deleted: false };
  await service.elasticsearch.index({ index: indexName, id: String(contentId), version, version_type: 'external_gte', document });
}

/** As the lost state deleted or hid the item. */
async function writeTombstone(contentId: number, version: number): Promise<void> {
  const document = { contentId, deleted: true };
  await service.elasticsearch.index({ index, id: String(contentId), version, version_type: 'external_gte', document });
}

async function versionOf(contentId: number, indexName = index): Promise<number | undefined> {
  return (await readRevisions(service.elasticsearch, indexName, [contentId])).get(contentId);
}

async function nameIn(contentId: number, indexName = index): Promise<string | undefined> {
  const { found, _source: source } = await service.elasticsearch.get<{ name?: string }>(
    { index: indexName, id: String(contentId) },
    { ignore: [404] },
  );
  return found ? source?.name : undefined;
}

async function outboxRow(contentId: number): Promise<{ revision: number } | undefined> {
  const [row] = await service.database.query<{ revision: number }>('select revision from index_outbox where content_id = $1', [contentId]);
  return row;
}

const readAhead = async () => (await readComparison(service.database)).ahead;
const claimOne = async () => (await claimAll(service))[0]!;
const edit = async (contentId: number, name: string): Promise<void> => {
  expect((await service.client.send('PATCH', `/api/content/${contentId}`, { name })).status).toBe(200);
};

/** An upload that gets the id of an item that PostgreSQL does not have. */
async function uploadWithId(contentId: number, name: string): Promise<void> {
  await service.database.query(
    `with c as (
       insert into content (content_id, creator_id, name, description, data, version)
       overriding system value values ($1, 1, $2, '', '', 1) returning content_id, revision
     )
     insert into index_outbox as o (content_id, revision) select content_id, revision from c
     on conflict (content_id) do update set revision = excluded.revision, due_at = clock_timestamp()`,
    [contentId, name],
  );
}

describe('after a restore of PostgreSQL, a change of an item that the index has in a newer state', () => {
  it('stays in the outbox until the index shows it', async () => {
    const id = await service.client.upload();
    await deliverAll(service);
    await writeLost(id, 7);
    await edit(id, 'new');
    await indexContent(service, await claimOne());
    expect(await outboxRow(id)).toEqual({ revision: 8 });
    await deliverAll(service);
    expect(await outboxRow(id)).toBe(undefined);
    expect([await nameIn(id), await versionOf(id)]).toEqual(['new', 8]);
  });

  it('is written to every index, also if only the index of a rebuild has the newer state', async () => {
    await withIndexLock(service.database, async () => {
      const next = await createNextIndex(indexDeps(service));
      const id = await service.client.upload({ name: 'first' });
      await writeLost(id, 9, next.indexName);
      await deliverAll(service);
      for (const name of [index, next.indexName]) expect([await nameIn(id, name), await versionOf(id, name)]).toEqual(['first', 10]);
      await removeIndex(indexDeps(service), next);
    });
  });

  it('removes a deleted item from the lists', async () => {
    const id = await service.client.upload();
    await deliverAll(service);
    await writeLost(id, 7);
    await service.client.send('DELETE', `/api/content/${id}`);
    await deliverAll(service);
    expect(await nameIn(id)).toBe(undefined);
  });

  it('shows an upload with its own content, although the lost state had used its id', async () => {
    const id = 2_000_000;
    await writeLost(id, 5);
    await uploadWithId(id, 'mine');
    await deliverAll(service);
    expect([await nameIn(id), await versionOf(id)]).toEqual(['mine', 6]);
  });

  it('is counted, so that operators see that PostgreSQL was restored', async () => {
    const before = (await readAhead())?.items ?? 0;
    const id = await service.client.upload();
    await writeLost(id, 7);
    const found: number[] = [];
    await indexContent({ ...service, onAhead: (ids) => void found.push(...ids) }, await claimOne());
    expect(found).toEqual([id]);
    expect(await readAhead()).toMatchObject({ items: before + 1, lastSeenAt: expect.any(String) });
  });
});

describe('a conflict that is no restore', () => {
  it('is not counted, and acknowledges a change that another job has overtaken', async () => {
    const id = await service.client.upload();
    const late = await claimOne();
    const before = await readAhead();
    await deliver(service, late, async () => {
      await service.database.query(`update index_outbox set job_id = null, claimed_at = null, due_at = now()`);
      await edit(id, 'newer');
      await deliverAll(service);
    });
    expect(await outboxRow(id)).toBe(undefined);
    expect(await versionOf(id)).toBe(2);
    expect(await readAhead()).toEqual(before);
  });

  it('does not end the wait for an upload whose document was deleted a moment ago', async () => {
    const id = 2_000_001;
    await service.elasticsearch.delete({ index, id: String(id), version: 5, version_type: 'external_gte' }, { ignore: [404] });
    await uploadWithId(id, 'mine');
    const report = await indexContent(service, await claimOne());
    expect(report.results).toEqual([{ result: 'retried', contentId: id, reason: expect.stringContaining('deleted') }]);
    expect(await outboxRow(id)).toEqual({ revision: 1 });
    await service.database.query('delete from index_outbox where content_id = $1', [id]);
    await service.database.query('delete from content where content_id = $1', [id]);
  });
});

describe('a job that was running while PostgreSQL was restored', () => {
  it('does not acknowledge a change of the restored state', async () => {
    const id = await service.client.upload();
    await deliverAll(service);
    for (const name of ['lost 1', 'lost 2', 'lost 3']) await edit(id, name);
    await deliver(service, await claimOne(), async () => {
      await service.database.query(`update content set revision = 2, name = 'restored' where content_id = $1`, [id]);
      await service.database.query('update index_outbox set revision = 2 where content_id = $1', [id]);
    });
    expect(await outboxRow(id)).toEqual({ revision: 2 });
    await deliverAll(service);
    expect([await nameIn(id), await versionOf(id)]).toEqual(['restored', 5]);
  });

  it('does not acknowledge an upload that has taken the id of the document that it deletes', async () => {
    const id = 2_000_002;
    await writeLost(id, 1);
    await service.database.query('insert into index_outbox (content_id, revision) values ($1, 1)', [id]);
    await deliver(service, await claimOne(), () => uploadWithId(id, 'mine'));
    await deliverAll(service);
    expect(await nameIn(id)).toBe('mine');
  });
});

describe('a restored PostgreSQL is noticed', () => {
  it('by a purge, which keeps the tombstone until the index has it', async () => {
    const id = await service.client.upload();
    await service.client.send('DELETE', `/api/content/${id}`);
    await deliverAll(service);
    await writeLost(id, 7);
    await service.database.query(`update content set deleted_at = now() - interval '8 days' where content_id = $1`, [id]);
    await until('the purge is complete', () => purge(indexDeps(service)));
    expect(await outboxRow(id)).toEqual({ revision: 8 });
    await deliverAll(service);
    expect(await nameIn(id)).toBe(undefined);
    await until('the purge is complete', () => purge(indexDeps(service)));
    expect(await versionOf(id)).toBe(undefined);
    expect(await service.database.query('select from content where content_id = $1', [id])).toEqual([]);
  });

  it('by the fill of an index that a rebuild of the lost state has begun', async () => {
    await withIndexLock(service.database, async () => {
      const next = await createNextIndex(indexDeps(service));
      const [id = 0] = await insertItems(service.database, { count: 1, pending: false });
      await writeLost(id, 7, next.indexName);
      await fillIndex(indexDeps(service), next, () => undefined);
      expect(await outboxRow(id)).toEqual({ revision: 8 });
      await deliverAll(service);
      expect(await nameIn(id, next.indexName)).toBe('item 1');
      await removeIndex(indexDeps(service), next);
    });
  });

  it('by an audit with --repair, which is also correct for a previous index that is further ahead', async () => {
    const id = await service.client.upload({ name: 'restored' });
    await deliverAll(service);
    await withIndexLock(service.database, async () => {
      const next = await createNextIndex(indexDeps(service));
      await writeLost(id, 9, next.indexName);
      await writeLost(id, 7);
      const { code } = await indexCommand(service.env, 'index-audit', '--repair');
      expect(code).toBe(0);
      expect(await outboxRow(id)).toEqual({ revision: 10 });
      await deliverAll(service);
      for (const name of [index, next.indexName]) expect(await nameIn(id, name)).toBe('restored');
      await removeIndex(indexDeps(service), next);
    });
  });
});

it('the count of such items is 0 after an audit with --repair that begins after the first of them was found', async () => {
  const id = await service.client.upload();
  await writeLost(id, 7);
  await deliverAll(service);
  expect((await readAhead())?.items).toBeGreaterThan(0);
  await auditSearched(service, { repair: true });
  await deliverAll(service);
  expect(await readAhead()).toBeNull();
});

it('an upload that takes the id of an orphaned document while it is repaired keeps its own revision', async () => {
  const id = 2_000_003;
  await writeLost(id, 5);
  let repairing: Promise<void> | undefined;
  await service.database.transaction(async (tx) => {
    await tx.query(
      `insert into content (content_id, creator_id, name, description, data, version) overriding system value values ($1, 1, 'mine', '', '', 1)`,
      [id],
    );
    await tx.query('insert into index_outbox (content_id, revision) values ($1, 1)', [id]);
    repairing = repairItems(indexDeps(service), [{ contentId: id, difference: 'orphaned' }]);
    await until('the repair waits for the upload', async () => (await countLockWaits(service.database)) > 0);
  });
  await repairing;
  expect(await outboxRow(id)).toEqual({ revision: 1 });
  await deliverAll(service);
  expect([await nameIn(id), await versionOf(id)]).toEqual(['mine', 6]);
});

describe('after a restore of the index, lists', () => {
  // The test itself runs the passes.
  beforeAll(() => service.indexer.maintenance.stop());

  const remove = async (id: number): Promise<void> =>
    void expect((await service.client.send('DELETE', `/api/content/${id}`)).status).toBe(204);

  it('wait for the items that were deleted before it was dealt with, and not for those that people delete meanwhile', async () => {
    const before = await service.client.upload();
    await deliverAll(service);
    await remove(before);
    const known = await claimAll(service);
    await service.database.query(`update index_target set repair = 'settle', restored_at = now() where role = 'search'`);
    const pass = createRestoreCheck(indexDeps(service), () => undefined);
    await pass();
    expect((await findTarget(service, 'search'))?.repair).toBe('settle');
    const meanwhile = await service.client.upload();
    await remove(meanwhile);
    for (const job of known) await indexContent(service, job);
    await pass();
    expect((await findTarget(service, 'search'))?.repair).toBe(null);
    expect(await outboxRow(meanwhile)).toBeDefined();
  });

  it('do not show at once what was deleted or hidden in a state that PostgreSQL, restored as well, has lost; an audit names it', async () => {
    const [withheld, edited] = [await service.client.upload(), await service.client.upload()];
    await deliverAll(service);
    await writeTombstone(withheld, 7);
    await writeLost(edited, 7);
    await service.database.query(`update index_target set repair = 'others', restored_at = now() where role = 'search'`);
    await createRestoreCheck(indexDeps(service), () => undefined)();
    expect((await findTarget(service, 'search'))?.repair).toBe(null);
    expect([await outboxRow(withheld), await outboxRow(edited)]).toEqual([undefined, { revision: 8 }]);
    await deliverAll(service);
    expect(await nameIn(withheld)).toBe(undefined);
    expect(await auditSearched(service)).toContainEqual(expect.objectContaining({ contentId: withheld, withheld: true }));
    await auditSearched(service, { repair: true });
    await deliverAll(service);
    expect(await nameIn(withheld)).toBeDefined();
  });
});
