import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createNextIndex } from '@ugc/indexer/rebuild/create-index';
import { removeIndex, type LockedDeps } from '@ugc/indexer/targets/target-indices';
import { fillIndex } from '@ugc/indexer/rebuild/fill';
import { readRange } from '@ugc/indexer/comparison/read-range';
import { pauseIndexing, resumeIndexing } from '@ugc/shared/indices/index-control';
import { findTarget, type IndexTarget } from '@ugc/shared/indices/targets';
import { claimDue } from '@ugc/shared/outbox/claim';
import { DatabaseUnavailable } from '@ugc/shared/postgres/errors';
import { randomUUID } from 'node:crypto';
import { createEnvironment } from '../support/processes/environment.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { insertItems } from '../support/database/insert-items.ts';
import { long, rows } from '../support/jest/long.ts';
import { openStores, type Stores } from '../support/processes/service.ts';
import { until } from '../support/jest/until.ts';

const BATCH = 2_000;
/** Three with a full batch, then one each with 1000, 500, 250, 125, 63, 32, 16, 8, 4, 2 and 1 items. */
const MAX_CRASHES = 14;

let stores: Stores;
let deps: LockedDeps;
let ids: number[];
// No API and no indexer runs: they would claim and index the changes in the outbox.
beforeAll(async () => {
  const env = await createEnvironment();
  stores = openStores(env);
  deps = indexDeps({ ...stores, env });
  ids = await insertItems(stores.database, { count: 2 * BATCH + 50, pending: false });
});
afterAll(() => stores.close());
// Every test starts with an empty index and an empty outbox.
let index: IndexTarget;
beforeEach(async () => {
  const left = await findTarget(stores, 'next');
  if (left) await removeIndex(deps, left);
  await stores.database.query('delete from index_outbox');
  index = await createNextIndex(deps);
});

type Bulk = (request: { operations: string[] }) => Promise<unknown>;

/** Replaces the bulk requests of Elasticsearch. */
function withBulk(replace: (bulk: Bulk) => Bulk): LockedDeps {
  const bulk = deps.elasticsearch.bulk.bind(deps.elasticsearch) as Bulk;
  return { ...deps, elasticsearch: Object.create(deps.elasticsearch, { bulk: { value: replace(bulk) } }) };
}

const inRanges = (of: LockedDeps, ranges: number): LockedDeps => ({ ...of, settings: { ...of.settings, INDEX_FILL_CONCURRENCY: ranges } });

/** Fills like a new process, until it ends or writes one of the crashing items; after that nothing of it runs. */
async function fillUntilCrashedBy(crashing: number[], ranges = 1): Promise<'filled' | 'crashed'> {
  const crashed = Promise.withResolvers<'crashed'>();
  const failing = withBulk((bulk) => (request) => {
    if (!crashing.some((id) => request.operations.some((line) => line.includes(`"_id":"${id}"`)))) return bulk(request);
    crashed.resolve('crashed');
    return new Promise(() => undefined);
  });
  const next = (await findTarget(stores, 'next')) ?? index;
  const filling = fillIndex(inRanges(failing, ranges), next, () => undefined);
  return Promise.race([filling.then(() => 'filled' as const), crashed.promise]);
}

async function indexedIds(): Promise<number[]> {
  await stores.elasticsearch.indices.refresh({ index: index.indexName });
  const { hits } = await stores.elasticsearch.search({
    index: index.indexName,
    size: 10_000,
    sort: [{ contentId: 'asc' }],
    _source: false,
  });
  return hits.hits.map((hit) => Number(hit._id));
}

async function attemptsCounted(): Promise<number> {
  const [row] = await stores.database.query<{ fillAttempts: number }>('select fill_attempts from index_target');
  return row?.fillAttempts ?? -1;
}

describe('a fill with an item that crashes its process every time', () => {
  const POSITIONS: [string, number][] = [
    ['the last of a batch', BATCH - 1],
    ['the first item', 0],
    ['an item in the middle', 3_370],
    ['the last item', 2 * BATCH + 49],
  ];

  it.each(rows(1, POSITIONS))('writes all other items and isolates it: %s', async (_, position) => {
    const crashing = ids[position] ?? 0;
    let crashes = 0;
    while ((await fillUntilCrashedBy([crashing])) === 'crashed') expect(++crashes).toBeLessThanOrEqual(MAX_CRASHES);
    expect(await indexedIds()).toEqual(ids.filter((id) => id !== crashing));
    expect(await attemptsCounted()).toBe(0);

    await stores.database.query('insert into index_outbox (content_id, revision) select content_id, 1 from content where content_id <> $1 limit 2', [crashing]); // prettier-ignore
    const claims = await claimDue(stores.database, randomUUID(), { atMost: 100 });
    expect(claims.map(({ contentIds }) => contentIds.length).toSorted()).toEqual([1, 2]);
    expect(claims.find(({ contentIds }) => contentIds.length === 1)?.contentIds).toEqual([crashing]);
  });

  long.it('finds several of them, also one with a pending change', async () => {
    const crashing = [ids[10] ?? 0, ids[11] ?? 0, ids[3_000] ?? 0];
    const harmless = ids[20] ?? 0;
    await stores.database.query('insert into index_outbox (content_id, revision) select unnest($1::bigint[]), 1', [
      [crashing[1], harmless],
    ]);
    let crashes = 0;
    while ((await fillUntilCrashedBy(crashing)) === 'crashed') expect(++crashes).toBeLessThanOrEqual(crashing.length * MAX_CRASHES);
    expect(await indexedIds()).toEqual(ids.filter((id) => !crashing.includes(id)));
    const claims = await claimDue(stores.database, randomUUID(), { atMost: 100 });
    const alone = [...crashing, harmless].toSorted((a, b) => a - b).map((id) => [id]);
    expect(claims.map(({ contentIds }) => contentIds).toSorted(([a = 0], [b = 0]) => a - b)).toEqual(alone);
  });

  it('returns to full batches when no item was the cause', async () => {
    for (let crash = 1; crash <= 5; crash++) expect(await fillUntilCrashedBy(ids.slice(0, 1))).toBe('crashed');
    const sizes: number[] = [];
    const counting = withBulk((bulk) => (request) => {
      sizes.push(request.operations.length / 2);
      return bulk(request);
    });
    await fillIndex(counting, index, () => undefined);
    expect(sizes).toEqual([250, 250, 500, 500, 500, 500, 500, 500, 500, 50]);
    expect(await stores.database.query('select 1 from index_outbox')).toEqual([]);
  });
});

it('a fill ends although further items are uploaded with each batch', async () => {
  const uploaded: number[] = [];
  const uploading = withBulk((bulk) => async (request) => {
    uploaded.push(...(await insertItems(stores.database, { count: 1, pending: false })));
    return bulk(request);
  });
  await fillIndex(uploading, index, () => undefined);
  await stores.database.query('delete from content where content_id = any($1)', [uploaded]);
  expect((await indexedIds()).slice(0, ids.length)).toEqual(ids);
});

it('a fill that has lost the index lock writes nothing to its index when that has become the searched one', async () => {
  await stores.database.query(`update index_target set role = 'search'`);
  await expect(fillIndex(deps, index, () => undefined)).rejects.toThrow('has the role search now');
  expect(await indexedIds()).toEqual([]);
  await stores.database.query(`update index_target set role = 'next'`);
});

it('a fill continues after PostgreSQL was unavailable, whatever it asked then', async () => {
  const failing = ['fill_attempts + 1', 'preceding_bytes', 'paused_at', 'filled_to = $2'];
  const query: typeof stores.database.query = (statement, values) => {
    const at = failing.findIndex((part) => String(statement).includes(part));
    if (at < 0) return stores.database.query(statement, values);
    failing.splice(at, 1);
    return Promise.reject(new DatabaseUnavailable('for the test'));
  };
  await fillIndex({ ...deps, database: { ...stores.database, query } }, index, () => undefined);
  expect(failing).toEqual([]);
  expect(await indexedIds()).toEqual(ids);
  expect(await attemptsCounted()).toBe(0);
});

describe('while a batch is written', () => {
  /** @returns the number of batches that the fill has read when it writes the first one */
  async function batchesRead(): Promise<number> {
    let reads = 0;
    const query: typeof stores.database.query = (statement, values) => {
      if (typeof statement === 'string' && statement.includes('preceding_bytes')) reads += 1;
      return stores.database.query(statement, values);
    };
    const readAtFirstWrite: number[] = [];
    const counting = withBulk((bulk) => (request) => {
      readAtFirstWrite.push(reads);
      return bulk(request);
    });
    await fillIndex({ ...counting, database: { ...stores.database, query } }, index, () => undefined);
    return readAtFirstWrite[0] ?? 0;
  }

  it('the next one is read', async () => {
    expect(await batchesRead()).toBe(2);
    expect(await indexedIds()).toEqual(ids);
  });

  it('nothing is read after a crash, because an item that crashes when it is read must be found', async () => {
    expect(await fillUntilCrashedBy(ids.slice(0, 1))).toBe('crashed');
    expect(await batchesRead()).toBe(1);
    expect(await indexedIds()).toEqual(ids);
  });
});

describe('with INDEX_FILL_CONCURRENCY', () => {
  const idIn = ({ operations }: { operations: string[] }): number => Number(/"_id":"(\d+)"/.exec(operations[0] ?? '')?.[1]);

  it('so many ranges of items are written at the same time', async () => {
    const begun = new Set<number>();
    const together = withBulk((bulk) => async (request) => {
      begun.add(Math.floor(ids.indexOf(idIn(request)) / BATCH));
      await until('a document of each range is being written', () => begun.size === 3);
      return bulk(request);
    });
    await fillIndex(inRanges(together, 3), index, () => undefined);
    expect(await indexedIds()).toEqual(ids);
  });

  it('an item that crashes its process is isolated, and all other items are written', async () => {
    const crashing = ids[3_370] ?? 0;
    let crashes = 0;
    // The ranges before that of the item are written one by one, each by another process.
    while ((await fillUntilCrashedBy([crashing], 3)) === 'crashed') expect(++crashes).toBeLessThanOrEqual(MAX_CRASHES + 1);
    expect(await indexedIds()).toEqual(ids.filter((id) => id !== crashing));
    expect(await attemptsCounted()).toBe(0);
  });

  it('nothing is written any more when a fill has failed', async () => {
    const seen = { removed: false, refused: false, active: 0 };
    const query: typeof stores.database.query = (statement, values) => {
      seen.refused ||= seen.removed && String(statement).includes('from index_target');
      return stores.database.query(statement, values);
    };
    const failing = withBulk((bulk) => async (request) => {
      if (ids.indexOf(idIn(request)) < BATCH) {
        await stores.database.query('delete from index_target');
        seen.removed = true;
        throw new Error('unavailable');
      }
      seen.active += 1;
      await until('the other range has failed', () => seen.refused);
      return bulk(request).finally(() => (seen.active -= 1));
    });
    const deps = inRanges({ ...failing, database: { ...stores.database, query } }, 2);
    await expect(fillIndex(deps, index, () => undefined)).rejects.toThrow('was removed');
    expect(seen).toEqual({ removed: true, refused: true, active: 0 });
  });
});

describe('an attempt to fill is not counted as a crash', () => {
  it('when the fill is stopped by a signal', async () => {
    const stop = new AbortController();
    const stopping = withBulk(() => () => {
      stop.abort();
      return Promise.reject(new Error('stopped'));
    });
    await expect(fillIndex({ ...stopping, signal: stop.signal }, index, () => undefined)).rejects.toThrow();
    expect(await attemptsCounted()).toBe(0);
  });

  it('when indexing is paused during the fill', async () => {
    await pauseIndexing(stores.database);
    await expect(fillIndex(deps, index, () => undefined)).rejects.toThrow('indexing was paused');
    await resumeIndexing(stores.database);
    expect(await attemptsCounted()).toBe(0);
  });

  it('when all requests to Elasticsearch fail', async () => {
    const stop = new AbortController();
    const failed = Promise.withResolvers<void>();
    const failing = withBulk(() => () => {
      failed.resolve();
      return Promise.reject(new Error('unavailable'));
    });
    const filling = fillIndex({ ...failing, signal: stop.signal }, index, () => undefined);
    await failed.promise;
    await until('the count is undone', async () => (await attemptsCounted()) === 0);
    stop.abort();
    await expect(filling).rejects.toThrow();
    expect(await attemptsCounted()).toBe(0);
  });
});

it('a fill and a comparison pass any number of drafts in steps of 10,000 rows', async () => {
  const drafts = await stores.database.query<{ contentId: number }>(
    `with stored as (
       insert into content (creator_id, name, description, data, version, deleted_at)
       select 1, 'a draft', '', '', 1, 'infinity' from generate_series(1, 25000) returning content_id
     ), noted as (insert into unpublished_content (content_id, creator_id, kind) select content_id, 1, 'draft' from stored)
     select content_id from stored order by content_id`,
  );
  const [last = 0] = await insertItems(stores.database, { count: 1, pending: false });
  const stored = [...ids, ...drafts.map(({ contentId }) => contentId), last];
  const passed = (places: number[]): number[] => places.map((place, n) => stored.indexOf(place) - stored.indexOf(places[n - 1] ?? 0));
  const filled: number[] = [];
  const query: typeof stores.database.query = (statement, values) => {
    if (String(statement).includes('filled_to = $2')) filled.push(Number(values?.[1]));
    return stores.database.query(statement, values);
  };
  await fillIndex(inRanges({ ...deps, database: { ...stores.database, query } }, 1), index, () => undefined);
  expect(await indexedIds()).toEqual([...ids, last]);
  expect(filled.at(-1)).toBe(last);
  const compared: number[] = [];
  for (let after: number | undefined = 0; after !== undefined;) {
    const range: Awaited<ReturnType<typeof readRange>> = await readRange(deps, index.indexName, after, 5_000);
    expect(range.suspects).toEqual([]);
    after = range.last;
    compared.push(after ?? last);
  }
  for (const places of [filled, compared]) expect(Math.max(...passed(places))).toBe(10_000);
  await stores.database.query('delete from content where content_id > $1', [ids.at(-1)]);
});
