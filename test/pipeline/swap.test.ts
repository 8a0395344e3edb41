import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { blockWrites, unblockWrites } from '@ugc/indexer/targets/target-indices';
import { readRevisions } from '@ugc/indexer/documents/read-revisions';
import { inspectIndices } from '@ugc/shared/ownership/inspect-indices';
import { indexContent } from '@ugc/indexer/jobs/index-content';
import { purge } from '@ugc/indexer/purge/purge';
import * as indices from '@ugc/indexer/rebuild/rebuild';
import { swapIndex } from '@ugc/indexer/rebuild/swap';
import { writeChanges } from '@ugc/indexer/documents/write-changes';
import { indexPattern, INDEX_BODY } from '@ugc/shared/contracts/content-index';
import { changeTargets, findTarget, retireTargets, setRole, type IndexTarget, type Role } from '@ugc/shared/indices/targets';
import { claimAll, deliverAll, stopDelivery } from '../support/cluster/delivery.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { ensureIndex, WITHOUT_LOCK, withIndexLock, rebuildIndex, removeOtherIndices, rollBack } from '../support/indices/index-lock.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { insertItems } from '../support/database/insert-items.ts';
import { countOutbox } from '../support/database/outbox.ts';
import { startService } from '../support/processes/service.ts';
import { until } from '../support/jest/until.ts';

const service = forAllTests(() => startService());
beforeAll(async () => {
  await stopDelivery(service);
});
// Every test starts with a searched and a previous index that are complete.
beforeEach(async () => {
  await deliverAll(service);
  const previous = await findTarget(service, 'previous');
  if (previous?.retiredReason === null) return;
  await removeOtherIndices(indexDeps(service));
  await rebuildIndex(indexDeps(service));
});

async function target(role: Role): Promise<IndexTarget> {
  const found = await findTarget(service, role);
  if (!found) throw new Error(`no index has the role ${role}`);
  return found;
}

/** Tries to write an item that is not in PostgreSQL. */
async function writeTo({ indexName }: IndexTarget): Promise<string | undefined> {
  const contentId = 1_000_000_000;
  const results = await writeChanges(service.elasticsearch, indexName, [{ contentId, revision: 1, source: '{"deleted":true}' }]);
  await service.elasticsearch.delete({ index: indexName, id: String(contentId) }, { ignore: [403, 404] });
  return results.get(contentId)?.outcome;
}

/** Swaps to the previous index and runs `meanwhile` just before the alias moves. */
async function swapBack(meanwhile: () => Promise<unknown>): Promise<void> {
  const deps = indexDeps(service);
  const { indices: api } = deps.elasticsearch;
  const updateAliases = async (request: Parameters<typeof api.updateAliases>[0]) => {
    await meanwhile();
    return api.updateAliases(request);
  };
  const elasticsearch = Object.create(deps.elasticsearch, {
    indices: { value: Object.create(api, { updateAliases: { value: updateAliases } }) },
  });
  const previous = await target('previous');
  await withIndexLock(service.database, () => swapIndex({ ...deps, elasticsearch }, previous));
}

it('the searched index is blocked for writes while the alias moves, and writable afterwards', async () => {
  const from = await target('search');
  const during: unknown[] = [];
  await swapBack(async () => void during.push(await writeTo(from)));
  expect(during).toEqual(['retry']);
  expect((await target('previous')).indexName).toBe(from.indexName);
  expect(await writeTo(from)).toBe('done');
});

it('the searched index is writable again after a swap that failed', async () => {
  await expect(swapBack(() => Promise.reject(new Error('no response')))).rejects.toThrow('no response');
  expect(await writeTo(await target('search'))).toBe('done');
});

it('the first search after a swap finds every document of the index', async () => {
  const { indexName } = await target('previous');
  await service.elasticsearch.indices.putSettings({ index: indexName, settings: { refresh_interval: '-1' } });
  await service.client.upload({ name: 'just written' });
  await deliverAll(service);
  await swapBack(() => Promise.resolve());
  expect(await service.client.search('"just written"')).toEqual(['just written']);
  await service.elasticsearch.indices.putSettings({ index: indexName, settings: { refresh_interval: '1s' } });
});

it('a swap to a retired index fails', async () => {
  const { indexName } = await target('previous');
  const before = (await target('search')).indexName;
  await retireTargets(service.database, [{ indexName, reason: 'for the test' }]);
  await expect(swapBack(() => Promise.resolve())).rejects.toThrow('for the test');
  expect((await target('search')).indexName).toBe(before);
});

it('the searched index is never retired', async () => {
  const { indexName } = await target('search');
  await retireTargets(service.database, [{ indexName, reason: 'for the test' }]);
  expect((await target('search')).retiredReason).toBe(null);
});

it('a rollback waits for changes that were pending at the swap', async () => {
  await removeOtherIndices(indexDeps(service));
  await service.client.upload({ name: 'pending at the swap' });
  await rebuildIndex(indexDeps(service));
  const before = (await target('previous')).indexName;
  const phases = new Set<string>();
  let delivering: Promise<void> | undefined;
  await until('the index lock is free', () =>
    indices.rollBack(indexDeps(service), (phase) => {
      phases.add(phase);
      delivering ??= deliverAll(service);
    }),
  );
  await delivering;
  expect([...phases][0]).toBe('Waiting for pending changes');
  expect((await target('search')).indexName).toBe(before);
  expect(await service.client.search('"pending at the swap"')).toEqual(['pending at the swap']);
  expect(await countOutbox(service.database)).toBe(0);
});

it.each<[string, Role, Role, number]>([
  ['is not written to the searched index before the other targets hold it', 'previous', 'search', 0],
  ['that only the searched index lacks stays in the outbox', 'search', 'previous', 1],
])('a change %s', async (_, blocked, other, written) => {
  const [refusing, accepting] = [await target(blocked), await target(other)];
  await withIndexLock(service.database, async () => {
    await blockWrites(indexDeps(service), refusing);
    const id = await service.client.upload();
    for (const job of await claimAll(service)) await indexContent(service, job);
    expect((await readRevisions(service.elasticsearch, accepting.indexName, [id])).size).toBe(written);
    expect(await countOutbox(service.database, `content_id = ${id} and rejected_reason is null`)).toBe(1);
    await unblockWrites(indexDeps(service), refusing);
    await service.database.query('update index_outbox set due_at = now()');
  });
});

it('a swap to an index fails if it lacks a change that a job has just written to the searched index', async () => {
  const search = await target('search');
  const [id = 0] = await insertItems(service.database, { count: 1, pending: false });
  await writeChanges(service.elasticsearch, search.indexName, [{ contentId: id, revision: 1, source: `{"contentId":${id}}` }]);
  await service.database.query(
    `insert into index_outbox (content_id, revision, job_id, claimed_at, due_at, claims) values ($1, 1, gen_random_uuid(), now(), 'infinity', 1)`,
    [id],
  );
  await expect(swapBack(() => Promise.resolve())).rejects.toThrow(`lacks a change of item ${id}`);
  expect((await target('search')).indexName).toBe(search.indexName);
  await service.database.query(`update index_outbox set claims = 3 where content_id = $1`, [id]);
  await expect(swapBack(() => Promise.resolve())).rejects.toThrow('edit or delete the item');
  await service.database.query(`update index_outbox set job_id = null, claimed_at = null, due_at = now() where content_id = $1`, [id]);
});

it('a rollback to an index that lacks an item fails', async () => {
  const before = await target('search');
  const id = await service.client.upload();
  await deliverAll(service);
  const { indexName } = await target('previous');
  await service.elasticsearch.delete({ index: indexName, id: String(id), version: 1, version_type: 'external_gte' });
  await expect(rollBack(indexDeps(service))).rejects.toThrow(`item ${id} is missing`);
  expect((await target('search')).indexName).toBe(before.indexName);
  await removeOtherIndices(indexDeps(service));
});

it('a rollback to a retired index fails before it compares anything', async () => {
  const { indexName } = await target('previous');
  await retireTargets(service.database, [{ indexName, reason: 'for the test' }]);
  const phases: string[] = [];
  const rolledBack = rollBack(indexDeps(service), (phase) => void phases.push(phase));
  await expect(rolledBack).rejects.toThrow(`${indexName} was retired: for the test`);
  expect(phases).toEqual([]);
});

describe('after a crash during a swap', () => {
  it('the roles of the targets are set according to the alias', async () => {
    const [search, previous] = [await target('search'), await target('previous')];
    await withIndexLock(service.database, () =>
      changeTargets(service.database, WITHOUT_LOCK, async (tx) => {
        await setRole(tx, search.indexName, 'next');
        await setRole(tx, previous.indexName, 'search');
      }),
    );
    await ensureIndex(indexDeps(service));
    await until('the roles are set', async () => (await findTarget(service, 'search'))?.indexName === search.indexName);
    expect((await target('previous')).indexName).toBe(previous.indexName);
  });
});

it('rebuild, rollback and purge do nothing while another process holds the index lock', async () => {
  await withIndexLock(service.database, async () => {
    expect(await indices.rebuildIndex(indexDeps(service), () => undefined)).toBe(false);
    expect(await indices.rollBack(indexDeps(service), () => undefined)).toBe(false);
    expect(await purge(indexDeps(service))).toBe(false);
  });
});

it('a write to a missing index does not create it', async () => {
  const indexName = indexPattern(service.env['CONTENT_ALIAS'] ?? '').replace('*', 'missing');
  expect(await writeTo({ ...(await target('search')), indexName })).toBe('retry');
  expect(await service.elasticsearch.indices.exists({ index: indexName })).toBe(false);
});

it('an empty index that has replaced a lost one under its name is recognized by its UUID', async () => {
  const { indexName } = await target('previous');
  await withIndexLock(service.database, async () => {
    await service.elasticsearch.indices.delete({ index: indexName });
    await service.elasticsearch.indices.create({ index: indexName, ...INDEX_BODY });
    expect((await inspectIndices(indexDeps(service))).targets.map(({ role, intact }) => [role, intact]).toSorted()).toEqual([
      ['previous', false],
      ['search', true],
    ]);
  });
  await ensureIndex(indexDeps(service));
  expect(await findTarget(service, 'previous')).toBe(undefined);
});
