import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { blockWrites, inspectTargets, readRevisions, unblockWrites } from '@ugc/indexer/indices/indices';
import { indexContent } from '@ugc/indexer/jobs/index-content';
import { purge } from '@ugc/indexer/purge/purge';
import * as indices from '@ugc/indexer/indices/rebuild';
import { swapIndex } from '@ugc/indexer/indices/swap';
import { writeChanges } from '@ugc/indexer/documents/write-changes';
import { indexPattern, INDEX_BODY } from '@ugc/shared/contracts/content-index';
import { changeTargets, findTarget, retireTargets, setRole, type IndexTarget, type Role } from '@ugc/indexer/targets';
import { claimAll, deliverAll, stopDelivery } from '../support/delivery.ts';
import { ensureIndex, holdingIndices, rebuildIndex, removeOtherIndices, rollBack } from '../support/in-turn.ts';
import { indexDeps } from '../support/index-deps.ts';
import { insertItems } from '../support/insert-items.ts';
import { countOutbox } from '../support/outbox.ts';
import { startService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
  await stopDelivery(service);
});
afterAll(() => service.stop());
// Every test begins with a searched and a previous index that have everything.
beforeEach(async () => {
  await deliverAll(service);
  const previous = await findTarget(service.database, 'previous');
  if (previous?.retiredReason === null) return;
  await removeOtherIndices(indexDeps(service));
  await rebuildIndex(indexDeps(service));
});

async function target(role: Role): Promise<IndexTarget> {
  const found = await findTarget(service.database, role);
  if (!found) throw new Error(`no index has the role ${role}`);
  return found;
}

/** Tries to write an item that nothing else knows of. */
async function writeTo({ indexName }: IndexTarget): Promise<string | undefined> {
  const contentId = 1_000_000_000;
  const outcomes = await writeChanges(service.elasticsearch, indexName, [{ contentId, revision: 1, source: '{"deleted":true}' }]);
  await service.elasticsearch.delete({ index: indexName, id: String(contentId) }, { ignore: [403, 404] });
  return outcomes.get(contentId)?.kind;
}

/** Swaps to the previous index; `meanwhile` happens when the alias is moved. */
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
  await holdingIndices(service.database, () => swapIndex({ ...deps, elasticsearch }, previous));
}

it('the searched index takes no writes while the alias moves, and takes them again afterwards', async () => {
  const from = await target('search');
  const during: unknown[] = [];
  await swapBack(async () => void during.push(await writeTo(from)));
  expect(during).toEqual(['retry']);
  expect((await target('previous')).indexName).toBe(from.indexName);
  expect(await writeTo(from)).toBe('written');
});

it('a swap that fails lets the searched index take writes again', async () => {
  await expect(swapBack(() => Promise.reject(new Error('no answer')))).rejects.toThrow('no answer');
  expect(await writeTo(await target('search'))).toBe('written');
});

it('the first search after a swap finds all that the index has taken', async () => {
  const { indexName } = await target('previous');
  await service.elasticsearch.indices.putSettings({ index: indexName, settings: { refresh_interval: '-1' } });
  await service.client.upload({ name: 'just taken' });
  await deliverAll(service);
  await swapBack(() => Promise.resolve());
  expect(await service.client.search('"just taken"')).toEqual(['just taken']);
  await service.elasticsearch.indices.putSettings({ index: indexName, settings: { refresh_interval: '1s' } });
});

it('an index that refused a document is not swapped for the searched one', async () => {
  const { indexName } = await target('previous');
  const before = (await target('search')).indexName;
  await retireTargets(service.database, [{ indexName, reason: 'for the test' }]);
  await expect(swapBack(() => Promise.resolve())).rejects.toThrow('for the test');
  expect((await target('search')).indexName).toBe(before);
});

it('the searched index is never given up', async () => {
  const { indexName } = await target('search');
  await retireTargets(service.database, [{ indexName, reason: 'for the test' }]);
  expect((await target('search')).retiredReason).toBe(null);
});

it('rolling back waits for what was pending at the swap', async () => {
  await removeOtherIndices(indexDeps(service));
  await service.client.upload({ name: 'pending at the swap' });
  await rebuildIndex(indexDeps(service));
  const before = (await target('previous')).indexName;
  const told = new Set<string>();
  let delivering: Promise<void> | undefined;
  await until('it is its turn', () =>
    indices.rollBack(indexDeps(service), (phase) => {
      told.add(phase);
      delivering ??= deliverAll(service);
    }),
  );
  await delivering;
  expect([...told][0]).toBe('Waiting for changes under way');
  expect((await target('search')).indexName).toBe(before);
  expect(await service.client.search('"pending at the swap"')).toEqual(['pending at the swap']);
  expect(await countOutbox(service.database)).toBe(0);
});

it('the searched index takes an item only once the others have it', async () => {
  const [search, previous] = [await target('search'), await target('previous')];
  await holdingIndices(service.database, async () => {
    await blockWrites(indexDeps(service), previous);
    const id = await service.client.upload();
    for (const job of await claimAll(service)) await indexContent(service, job);
    expect((await readRevisions(service.elasticsearch, search.indexName, [id])).size).toBe(0);
    expect(await countOutbox(service.database, `content_id = ${id} and rejected_reason is null`)).toBe(1);
    await unblockWrites(indexDeps(service), previous);
    await service.database.query('update index_outbox set due_at = now()');
  });
});

it('the other indices take an item before the searched one, and it stays in the outbox until that has it, too', async () => {
  const [search, previous] = [await target('search'), await target('previous')];
  await holdingIndices(service.database, async () => {
    await blockWrites(indexDeps(service), search);
    const id = await service.client.upload();
    for (const job of await claimAll(service)) await indexContent(service, job);
    expect((await readRevisions(service.elasticsearch, previous.indexName, [id])).size).toBe(1);
    expect(await countOutbox(service.database, `content_id = ${id} and rejected_reason is null`)).toBe(1);
    await unblockWrites(indexDeps(service), search);
    await service.database.query('update index_outbox set due_at = now()');
  });
});

it('an index that lacks what a job has just put into the searched one is not swapped for it', async () => {
  const search = await target('search');
  const [id = 0] = await insertItems(service.database, { count: 1, pending: false });
  await writeChanges(service.elasticsearch, search.indexName, [{ contentId: id, revision: 1, source: `{"contentId":${id}}` }]);
  await service.database.query(
    `insert into index_outbox (content_id, revision, job_id, claimed_at, due_at, claims) values ($1, 1, gen_random_uuid(), now(), 'infinity', 1)`,
    [id],
  );
  await expect(swapBack(() => Promise.resolve())).rejects.toThrow(`lacks a change of item ${id}`);
  expect((await target('search')).indexName).toBe(search.indexName);
  await service.database.query(`update index_outbox set job_id = null, claimed_at = null, due_at = now() where content_id = $1`, [id]);
});

it('an index that lacks an item is not rolled back to', async () => {
  const before = await target('search');
  const id = await service.client.upload();
  await deliverAll(service);
  const { indexName } = await target('previous');
  await service.elasticsearch.delete({ index: indexName, id: String(id), version: 1, version_type: 'external_gte' });
  await expect(rollBack(indexDeps(service))).rejects.toThrow(`item ${id} is missing`);
  expect((await target('search')).indexName).toBe(before.indexName);
  await removeOtherIndices(indexDeps(service));
});

it('an index that was given up is not rolled back to', async () => {
  const { indexName } = await target('previous');
  await retireTargets(service.database, [{ indexName, reason: 'for the test' }]);
  await expect(rollBack(indexDeps(service))).rejects.toThrow(`${indexName} refused a document and is written no more`);
});

describe('what a process that died in the middle of a swap has left is put in order:', () => {
  it('a searched index that takes no writes takes them again', async () => {
    const search = await target('search');
    await blockWrites(indexDeps(service), search);
    await ensureIndex(indexDeps(service));
    expect(await writeTo(search)).toBe('written');
  });

  it('roles that are not what the alias says become that', async () => {
    const [search, previous] = [await target('search'), await target('previous')];
    await holdingIndices(service.database, () =>
      changeTargets(service.database, async (tx) => {
        await setRole(tx, search.indexName, 'next');
        await setRole(tx, previous.indexName, 'search');
      }),
    );
    await ensureIndex(indexDeps(service));
    await until('the roles are in order', async () => (await findTarget(service.database, 'search'))?.indexName === search.indexName);
    expect((await target('previous')).indexName).toBe(previous.indexName);
  });
});

it('nobody makes or swaps indices while somebody else does', async () => {
  await holdingIndices(service.database, async () => {
    expect(await indices.rebuildIndex(indexDeps(service), () => undefined)).toBe(false);
    expect(await indices.rollBack(indexDeps(service), () => undefined)).toBe(false);
    expect(await purge(indexDeps(service))).toBe(false);
  });
});

it('a write to an index that is not there makes none', async () => {
  const indexName = indexPattern(service.env['CONTENT_ALIAS'] ?? '').replace('*', 'missing');
  expect(await writeTo({ ...(await target('search')), indexName })).toBe('retry');
  expect(await service.elasticsearch.indices.exists({ index: indexName })).toBe(false);
});

it('an index that was lost and is there again, empty, is not taken for the one that was made', async () => {
  const { indexName } = await target('previous');
  await holdingIndices(service.database, async () => {
    await service.elasticsearch.indices.delete({ index: indexName });
    await service.elasticsearch.indices.create({ index: indexName, ...INDEX_BODY });
    expect((await inspectTargets(indexDeps(service))).map(({ role, intact }) => [role, intact]).toSorted()).toEqual([
      ['previous', false],
      ['search', true],
    ]);
  });
  await ensureIndex(indexDeps(service));
  expect(await findTarget(service.database, 'previous')).toBe(undefined);
});
