import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createNextIndex, removeIndex, type IndexDeps } from '@ugc/indexer/indices/indices';
import { fillIndex } from '@ugc/indexer/indices/fill';
import { pauseIndexing, resumeIndexing } from '@ugc/indexer/indices/pause';
import { findTarget, type IndexTarget } from '@ugc/indexer/targets';
import { claimDue } from '@ugc/shared/outbox/claim';
import { randomUUID } from 'node:crypto';
import { createEnvironment } from '../support/environment.ts';
import { indexDeps } from '../support/index-deps.ts';
import { insertItems } from '../support/insert-items.ts';
import { openStores, type Stores } from '../support/service.ts';
import { until } from '../support/until.ts';

const BATCH = 200;
/** Three at a full batch, then one at each of 100, 50, 25, 13, 7, 4, 2 and 1. */
const KILLS_AT_MOST = 11;

let stores: Stores;
let deps: IndexDeps;
let ids: number[];
// Without API and indexer, which would take what is put into the outbox.
beforeAll(async () => {
  const env = await createEnvironment();
  stores = openStores(env);
  deps = indexDeps({ ...stores, env });
  ids = await insertItems(stores.database, { count: 2 * BATCH + 50, pending: false });
});
afterAll(() => stores.close());
// Every test begins with an empty index and an empty outbox.
let index: IndexTarget;
beforeEach(async () => {
  const left = await findTarget(stores.database, 'next');
  if (left) await removeIndex(deps, left);
  await stores.database.query('delete from index_outbox');
  index = await createNextIndex(deps);
});

type Bulk = (request: { operations: string[] }) => Promise<unknown>;

/** Elasticsearch with another way to take bulk requests. */
function withBulk(replace: (bulk: Bulk) => Bulk): IndexDeps {
  const bulk = deps.elasticsearch.bulk.bind(deps.elasticsearch) as Bulk;
  return { ...deps, elasticsearch: Object.create(deps.elasticsearch, { bulk: { value: replace(bulk) } }) };
}

/** As a new process does, until it is done or one of the deadly items ends it: nothing of what it had begun goes on then. */
async function fillUntilKilledBy(deadly: number[]): Promise<'filled' | 'killed'> {
  const killed = Promise.withResolvers<'killed'>();
  const dying = withBulk((bulk) => (request) => {
    if (!deadly.some((id) => request.operations.some((line) => line.includes(`"_id":"${id}"`)))) return bulk(request);
    killed.resolve('killed');
    return new Promise(() => undefined);
  });
  const next = (await findTarget(stores.database, 'next')) ?? index;
  return Promise.race([fillIndex(dying, next, () => undefined).then(() => 'filled' as const), killed.promise]);
}

async function indexedIds(): Promise<number[]> {
  await stores.elasticsearch.indices.refresh({ index: index.indexName });
  const { hits } = await stores.elasticsearch.search({ index: index.indexName, size: 1_000, sort: [{ contentId: 'asc' }], _source: false });
  return hits.hits.map((hit) => Number(hit._id));
}

async function attemptsCounted(): Promise<number> {
  const [row] = await stores.database.query<{ fill_attempts: number }>('select fill_attempts from index_target');
  return row?.fill_attempts ?? -1;
}

describe('a filling that meets an item that kills its process again and again', () => {
  it.each([
    ['the first', 0],
    ['the last of a batch', BATCH - 1],
    ['one in the middle', 337],
    ['the last of all', 2 * BATCH + 49],
  ])('ends with all items but that one, which is sent alone: %s', async (_, position) => {
    const deadly = ids[position] ?? 0;
    let kills = 0;
    while ((await fillUntilKilledBy([deadly])) === 'killed') expect(++kills).toBeLessThanOrEqual(KILLS_AT_MOST);
    expect(await indexedIds()).toEqual(ids.filter((id) => id !== deadly));
    expect(await attemptsCounted()).toBe(0);

    await stores.database.query('insert into index_outbox (content_id, revision) select content_id, 1 from content where content_id <> $1 limit 2', [deadly]); // prettier-ignore
    const claims = await claimDue(stores.database, randomUUID(), 100);
    expect(claims.map(({ contentIds }) => contentIds.length).toSorted()).toEqual([1, 2]);
    expect(claims.find(({ contentIds }) => contentIds.length === 1)?.contentIds).toEqual([deadly]);
  });

  it('finds each of several, also one with a change that is pending', async () => {
    const deadly = [ids[10] ?? 0, ids[11] ?? 0, ids[300] ?? 0];
    const innocent = ids[20] ?? 0;
    await stores.database.query('insert into index_outbox (content_id, revision) select unnest($1::bigint[]), 1', [[deadly[1], innocent]]);
    let kills = 0;
    while ((await fillUntilKilledBy(deadly)) === 'killed') expect(++kills).toBeLessThanOrEqual(deadly.length * KILLS_AT_MOST);
    expect(await indexedIds()).toEqual(ids.filter((id) => !deadly.includes(id)));
    const claims = await claimDue(stores.database, randomUUID(), 100);
    const alone = [...deadly, innocent].toSorted((a, b) => a - b).map((id) => [id]);
    expect(claims.map(({ contentIds }) => contentIds).toSorted(([a = 0], [b = 0]) => a - b)).toEqual(alone);
  });

  it('takes full batches again once something else was to blame', async () => {
    for (let kill = 1; kill <= 5; kill++) expect(await fillUntilKilledBy(ids.slice(0, 1))).toBe('killed');
    const sizes: number[] = [];
    const counting = withBulk((bulk) => (request) => {
      sizes.push(request.operations.length / 2);
      return bulk(request);
    });
    await fillIndex(counting, index, () => undefined);
    expect(sizes).toEqual([25, 25, 200, 200]);
    expect(await stores.database.query('select 1 from index_outbox')).toEqual([]);
  });
});

describe('an attempt at filling that ends in order does not count as a kill', () => {
  it('when it is stopped', async () => {
    const stop = new AbortController();
    const stopping = withBulk(() => () => {
      stop.abort();
      return Promise.reject(new Error('stopped'));
    });
    await expect(fillIndex({ ...stopping, signal: stop.signal }, index, () => undefined)).rejects.toThrow();
    expect(await attemptsCounted()).toBe(0);
  });

  it('when indexing is paused', async () => {
    await pauseIndexing(stores.database);
    await expect(fillIndex(deps, index, () => undefined)).rejects.toThrow('indexing was paused');
    await resumeIndexing(stores.database);
    expect(await attemptsCounted()).toBe(0);
  });

  it('while Elasticsearch refuses everything: a process that ends then was not ended by its batch', async () => {
    const stop = new AbortController();
    const refused = Promise.withResolvers<void>();
    const refusing = withBulk(() => () => {
      refused.resolve();
      return Promise.reject(new Error('away'));
    });
    const filling = fillIndex({ ...refusing, signal: stop.signal }, index, () => undefined);
    await refused.promise;
    await until('the attempt is taken back', async () => (await attemptsCounted()) === 0, 20_000);
    stop.abort();
    await expect(filling).rejects.toThrow();
    expect(await attemptsCounted()).toBe(0);
  });
});
