import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createNextIndex } from '@ugc/indexer/rebuild/create-index';
import { pointAlias } from '@ugc/indexer/targets/point-alias';
import { maintainIndex } from '@ugc/indexer/maintain-index';
import { blockWrites, removeIndex, promote, unblockWrites, type LockedDeps } from '@ugc/indexer/targets/target-indices';
import { purge } from '@ugc/indexer/purge/purge';
import { INDEX_LOCK, isIndexLocked } from '@ugc/shared/indices/index-control';
import { readIndexStates } from '@ugc/shared/indices/read-index-states';
import { changeTargets, findTarget, listTargets, retireTargets, setUuid } from '@ugc/shared/indices/targets';
import { LockLost, withLock, type HeldLock } from '@ugc/shared/postgres/locks';
import { createEnvironment, type Environment } from '../support/processes/environment.ts';
import { ensureIndex, rebuildIndex, removeOtherIndices } from '../support/indices/index-lock.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { countLockWaits } from '../support/database/sessions.ts';
import { rows } from '../support/jest/long.ts';
import { openStores, type Stores } from '../support/processes/service.ts';
import { until } from '../support/jest/until.ts';

let env: Environment;
let stores: Stores;
beforeAll(async () => {
  env = await createEnvironment();
  stores = openStores(env, 6);
  await ensureIndex(indexDeps({ ...stores, env }));
});
afterAll(() => stores.close());
beforeEach(() => removeOtherIndices(indexDeps({ ...stores, env })));
afterEach(() => stores.database.query('delete from index_lock'));

/** Runs `work` under the index lock. @throws if it is not free */
async function locked(work: (lock: HeldLock) => Promise<void>): Promise<void> {
  if (!(await withLock(stores.database, INDEX_LOCK, work))) throw new Error('the lock is not free');
}

const isFree = () => withLock(stores.database, INDEX_LOCK, () => Promise.resolve());
const depsWith = (lock: HeldLock): LockedDeps => ({ ...indexDeps({ ...stores, env }), lock });

/** What another process does that takes the lock over. */
const takeOver = () => stores.database.query(`update index_lock set token = gen_random_uuid() where name = 'index'`);

const insertRow = (expiresAt: string) =>
  stores.database.query(
    `insert into index_lock (name, token, holder, expires_at) values ('index', gen_random_uuid(), 'test', ${expiresAt})`,
  );

it('a lock has one holder at a time, and is free after its work has ended or failed', async () => {
  await locked(async () => {
    expect(await isFree()).toBe(false);
    expect(await isIndexLocked(stores.database)).toBe(true);
  });
  await expect(locked(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await isIndexLocked(stores.database)).toBe(false);
  expect(await isFree()).toBe(true);
  expect(await stores.database.query('select * from index_lock')).toEqual([]);
});

describe('a row of the lock', () => {
  it('keeps other processes from the lock until it expires', async () => {
    await insertRow(`clock_timestamp() + interval '1 min'`);
    expect(await isFree()).toBe(false);
    expect(await isIndexLocked(stores.database)).toBe(true);
    await stores.database.query(`update index_lock set expires_at = clock_timestamp()`);
    expect(await isFree()).toBe(true);
  });

  it('of a process with the largest STORE_TIMEOUT_FACTOR is not shortened by others', async () => {
    await insertRow(`clock_timestamp() + interval '1000 s'`);
    const expiry = () => stores.database.query('select expires_at from index_lock');
    const before = await expiry();
    expect(await isFree()).toBe(false);
    expect(await expiry()).toEqual(before);
  });

  it('does not expire later than usual after the clock of PostgreSQL was set back', async () => {
    await insertRow(`clock_timestamp() + interval '1 year'`);
    expect(await isFree()).toBe(false);
    const [row] = await stores.database.query<{ soon: boolean; holder: string }>(
      `select expires_at < clock_timestamp() + interval '1 day' as soon, holder from index_lock`,
    );
    expect(row).toEqual({ soon: true, holder: 'test' });
  });
});

describe('a lock is lost', () => {
  it('when another process has taken it over, and its work is told at the next renewal', async () => {
    await locked(async ({ signal, assertHeld }) => {
      await takeOver();
      await expect(assertHeld()).rejects.toBeInstanceOf(LockLost);
      await until('the signal is aborted', () => signal.aborted);
    });
    expect(await stores.database.query('select 1 from index_lock')).toHaveLength(1);
  });

  it('by nothing else: it is renewed while its work lasts', async () => {
    const expiry = async () => (await stores.database.query<{ expiresAt: Date }>('select expires_at from index_lock'))[0]?.expiresAt;
    await locked(async ({ assertHeld }) => {
      const before = await expiry();
      await until('the lock is renewed', async () => Number(await expiry()) > Number(before));
      await assertHeld();
    });
  });
});

describe('a process that has lost the lock and does not know it yet', () => {
  const state = async () => ({
    targets: await listTargets(stores.database),
    indices: Object.keys(await stores.elasticsearch.indices.get({ index: `${env['CONTENT_ALIAS']}-*` })).toSorted(),
    alias: await stores.elasticsearch.indices.getAlias({ name: env['CONTENT_ALIAS'] ?? '' }),
  });

  const CHANGES: [string, (deps: LockedDeps) => Promise<unknown>][] = [
    ['creates no index', (deps) => createNextIndex(deps)],
    ['removes no index', async (deps) => removeIndex(deps, (await findTarget(stores, 'search'))!)],
    ['does not move the alias', async (deps) => pointAlias(deps, (await findTarget(stores, 'previous'))!)],
    ['does not change the roles', async (deps) => promote(deps, (await findTarget(stores, 'previous'))!)],
    [
      'sets no UUID',
      async ({ database, alias, lock }) =>
        setUuid(database, lock, { ...(await findTarget({ database, alias }, 'search'))!, uuid: 'other' }),
    ],
  ];

  it.each(rows(2, CHANGES))('%s', async (_, change) => {
    await rebuildIndex(indexDeps({ ...stores, env }));
    const before = await state();
    await locked(async (lock) => {
      await takeOver();
      await expect(change(depsWith(lock))).rejects.toBeInstanceOf(LockLost);
    });
    expect(await state()).toEqual(before);
  });

  it('removes no tombstone from PostgreSQL', async () => {
    await stores.database.query(
      `insert into content (creator_id, name, description, data, version, deleted_at) values (1, '', '', '', 1, now() - interval '8 days')`,
    );
    const deps = indexDeps({ ...stores, env });
    const elasticsearch = Object.create(stores.elasticsearch, {
      bulk: { value: async (request: object) => (await takeOver(), stores.elasticsearch.bulk(request)) },
    });
    await expect(purge({ ...deps, elasticsearch })).rejects.toBeInstanceOf(LockLost);
    expect(await stores.database.query('select 1 from content')).toHaveLength(1);
    await stores.database.query('delete from index_lock');
    await until('the tombstone is purged', () => purge(deps));
  });
});

it('nobody takes the lock over while a change of the targets is under way', async () => {
  const { database } = stores;
  await locked(async (lock) => {
    let taking: Promise<unknown> = Promise.resolve();
    await changeTargets(database, lock, async () => {
      taking = takeOver();
      await until('the other process waits', async () => (await countLockWaits(database)) === 1);
    });
    await taking;
    await expect(changeTargets(database, lock, () => Promise.resolve())).rejects.toBeInstanceOf(LockLost);
  });
});

it('no index that is being removed becomes the searched one, although the request to delete it comes late', async () => {
  const deps = indexDeps({ ...stores, env });
  await rebuildIndex(deps);
  const previous = (await findTarget(stores, 'previous'))!;
  const indices = Object.create(stores.elasticsearch.indices, { delete: { value: () => Promise.reject(new Error('no response')) } });
  const elasticsearch = Object.create(stores.elasticsearch, { indices: { value: indices } });
  await expect(removeIndex({ ...deps, elasticsearch }, previous)).rejects.toThrow('no response');
  expect((await findTarget(stores, 'previous'))?.retiredReason).toBe('it is being removed');
});

it('the write block of a swap that crashed is removed, however old it is, and a later block of an operator stays', async () => {
  const deps = indexDeps({ ...stores, env });
  const search = (await findTarget(stores, 'search'))!;
  const isBlocked = async () =>
    (await readIndexStates(stores.elasticsearch, { names: [search.indexName] })).get(search.indexName)?.writesBlocked;
  await blockWrites(deps, search);
  await stores.database.query(`update index_lock set expires_at = now() - interval '1 s'`);
  await ensureIndex(deps);
  expect(await isBlocked()).toBe(false);
  await ensureIndex(deps);
  await stores.elasticsearch.indices.addBlock({ index: search.indexName, block: 'write' });
  await ensureIndex(deps);
  expect(await isBlocked()).toBe(true);
  await unblockWrites(deps, search);
});

it('an indexer compares nothing while another process brings the indices in order', async () => {
  const deps = indexDeps({ ...stores, env });
  const { indexName: index } = (await findTarget(stores, 'search'))!;
  await locked(async () => {
    await stores.elasticsearch.indices.updateAliases({ actions: [{ remove: { index, alias: deps.alias } }] });
    let passes = 0;
    const maintenance = maintainIndex(deps, () => void (passes += 1), { firstAfterMs: 0 });
    await until('some passes have ended', () => passes > 1);
    await maintenance.stop();
  });
  expect(await stores.database.query('select claimed_by from index_comparison')).toEqual([{ claimedBy: null }]);
  await ensureIndex(deps);
});

it('an alias that a late request has moved to a retired index, which lacks changes, is moved back', async () => {
  const deps = indexDeps({ ...stores, env });
  await rebuildIndex(deps);
  const [search, previous] = [(await findTarget(stores, 'search'))!, (await findTarget(stores, 'previous'))!];
  await retireTargets(stores.database, [{ indexName: previous.indexName, reason: 'for the test' }]);
  await pointAlias(deps, previous);
  await ensureIndex(deps);
  expect(Object.keys(await stores.elasticsearch.indices.getAlias({ name: deps.alias }))).toEqual([search.indexName]);
  expect((await findTarget(stores, 'search'))?.indexName).toBe(search.indexName);
});
