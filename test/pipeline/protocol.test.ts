import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { writeChanges } from '@ugc/indexer/documents/write-changes';
import { createNextIndex } from '@ugc/indexer/rebuild/create-index';
import { readRevisions } from '@ugc/indexer/documents/read-revisions';
import { removeIndex } from '@ugc/indexer/targets/target-indices';
import { indexContent } from '@ugc/indexer/jobs/index-content';
import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { pauseIndexing, resumeIndexing } from '@ugc/shared/indices/index-control';
import { changeTargets, findTarget, type IndexTarget } from '@ugc/shared/indices/targets';
import { acknowledge } from '@ugc/shared/outbox/acknowledge';
import { claimDue, listUnacknowledgedJobs, releaseLostJobs, undoClaims, type Claim } from '@ugc/shared/outbox/claim';
import { readItemStates } from '@ugc/shared/outbox/item-states';
import { readPendingChanges } from '@ugc/shared/outbox/read-pending-changes';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { OLDER_VERSION } from '../support/indices/older-index.ts';
import { claimAll, deliver, deliverAll, stopDelivery } from '../support/cluster/delivery.ts';
import { forgetItem, insertItems, insertPoison } from '../support/database/insert-items.ts';
import { countLockWaits } from '../support/database/sessions.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { ensureIndex, withIndexLock, WITHOUT_LOCK } from '../support/indices/index-lock.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { runs } from '../support/jest/long.ts';
import { until } from '../support/jest/until.ts';
import { openStores, startService, type Service, type Stores } from '../support/processes/service.ts';

const service = forAllTests(() => startService());
beforeAll(async () => {
  await stopDelivery(service);
});
beforeEach(() => deliverAll(service));

const claim = (): Promise<Claim[]> => claimAll(service);

async function claimOne(): Promise<Claim> {
  const [only, ...others] = await claim();
  if (!only || others.length > 0) throw new Error('expected exactly one job');
  return only;
}

async function pendingRow(contentId: number) {
  const [row] = await service.database.query(
    `select revision, job_id, claims, rejected_reason, due_at <= clock_timestamp() as due from index_outbox where content_id = $1`,
    [contentId],
  );
  return row;
}

async function indexedRevision(contentId: number, indexName?: string): Promise<number | undefined> {
  const index = indexName ?? (await findTarget(service, 'search'))?.indexName ?? '';
  return (await readRevisions(service.elasticsearch, index, [contentId])).get(contentId);
}

const edit = async (contentId: number, fields: object): Promise<void> => {
  expect((await service.client.send('PATCH', `/api/content/${contentId}`, fields)).status).toBe(200);
};

const FREE = { jobId: null, claims: 0, rejectedReason: null, due: true };

describe('a change stays in the outbox and is written again', () => {
  it('when the list of targets changes while it is written, so that a new index receives it', async () => {
    await withIndexLock(service.database, async () => {
      const id = await service.client.upload();
      const targets: IndexTarget[] = [];
      await deliver(service, await claimOne(), async () => void targets.push(await createNextIndex(indexDeps(service))));
      const [next] = targets;
      if (!next) throw new Error('no index was made');
      expect(await pendingRow(id)).toEqual({ ...FREE, revision: 1 });
      await deliverAll(service);
      expect(await pendingRow(id)).toBe(undefined);
      expect(await indexedRevision(id, next.indexName)).toBe(1);
      await removeIndex(indexDeps(service), next);
    });
  });

  it('when it was rejected under a list of targets that has changed since', async () => {
    await withIndexLock(service.database, async () => {
      const id = await insertPoison(service.database);
      const targets: IndexTarget[] = [];
      await deliver(service, await claimOne(), async () => void targets.push(await createNextIndex(indexDeps(service))));
      expect(await pendingRow(id)).toEqual({ ...FREE, revision: 1 });
      await forgetItem(service.database, id);
      for (const next of targets) await removeIndex(indexDeps(service), next);
    });
  });

  it('when its item is edited while an earlier revision is written', async () => {
    const id = await service.client.upload();
    await deliver(service, await claimOne(), () => edit(id, { name: 'newer' }));
    expect(await pendingRow(id)).toEqual({ ...FREE, revision: 2 });
    await deliverAll(service);
    expect(await indexedRevision(id)).toBe(2);
  });

  it('when its item is corrected while an earlier revision is rejected', async () => {
    const id = await insertPoison(service.database);
    await deliver(service, await claimOne(), () => edit(id, { tags: ['corrected'] }));
    expect(await pendingRow(id)).toEqual({ ...FREE, revision: 2 });
    await deliverAll(service);
    expect(await indexedRevision(id)).toBe(2);
  });
});

describe('a late job', () => {
  it('does not overwrite a newer revision with an older one', async () => {
    const id = await service.client.upload({ name: 'older' });
    const job = await claimOne();
    await deliver(service, job, async () => {
      await releaseLostJobs(service.database, [job.jobId]);
      await edit(id, { name: 'newer' });
      await deliverAll(service);
    });
    expect(await indexedRevision(id)).toBe(2);
    expect(await pendingRow(id)).toBe(undefined);
  });

  it('does not release rows that another job has claimed since', async () => {
    const id = await service.client.upload();
    const late = await claimOne();
    await releaseLostJobs(service.database, [late.jobId]);
    await edit(id, { name: 'newer' });
    const job = await claimOne();
    await acknowledge(service.database, {
      jobId: late.jobId,
      generation: -1,
      results: [{ result: 'acknowledged', contentId: id, revision: 1 }],
    });
    expect(await pendingRow(id)).toMatchObject({ jobId: job.jobId });
    await indexContent(service, job);
  });
});

describe('an acknowledgement reports', () => {
  const acknowledgeOne = async (contentId: number, generation: (current: number) => number) => {
    const { jobId } = await claimOne();
    const [control] = await service.database.query<{ generation: number }>('select generation from index_control');
    const results = [{ result: 'acknowledged' as const, contentId, revision: 1 }];
    return acknowledge(service.database, { jobId, generation: generation(control?.generation ?? 0), results });
  };

  it('each acknowledged change with the seconds that it was pending', async () => {
    const id = await service.client.upload();
    const { results, pendingSeconds } = await acknowledgeOne(id, (current) => current);
    expect(results).toEqual([{ result: 'acknowledged', contentId: id, revision: 1 }]);
    expect(pendingSeconds).toEqual([expect.any(Number)]);
  });

  it('a change as retried when it was written under an outdated generation', async () => {
    const id = await service.client.upload();
    const { results, pendingSeconds } = await acknowledgeOne(id, (current) => current - 1);
    expect(results).toEqual([{ result: 'retried', contentId: id, reason: expect.stringContaining('list of targets changed') }]);
    expect(pendingSeconds).toEqual([]);
  });

  it('no change that another job has acknowledged', async () => {
    const id = await service.client.upload();
    await acknowledgeOne(id, (current) => current);
    await insertItems(service.database, { count: 1 });
    expect(await acknowledgeOne(id, (current) => current)).toEqual({ results: [], pendingSeconds: [] });
  });
});

describe('a job whose items have large texts', () => {
  const LARGEST = 4_194_304;
  // Two of them reach the limit of a slice.
  const claimLarge = async (): Promise<Claim> => {
    await insertItems(service.database, { count: 3 });
    await service.database.query(`update content set data = repeat('x', $1) where content_id in (select content_id from index_outbox)`, [
      LARGEST,
    ]);
    return claimOne();
  };

  it('reads some of them at a time', async () => {
    const { contentIds } = await claimLarge();
    const read = async (limitBytes: number) => (await readPendingChanges(service.database, contentIds, limitBytes)).rows;
    expect(await read(2 * LARGEST)).toHaveLength(2);
    expect((await read(1)).map((row) => row.pendingId)).toEqual([Math.min(...contentIds)]);
  });

  it('indexes all of them', async () => {
    const job = await claimLarge();
    await indexContent(service, job);
    for (const contentId of job.contentIds) {
      expect(await indexedRevision(contentId)).toBe(1);
      expect(await pendingRow(contentId)).toBe(undefined);
    }
  });

  it('is repeated when the list of targets changes between them', async () => {
    const job = await claimLarge();
    await withIndexLock(service.database, async () => {
      let isChanged = false;
      const elasticsearch: typeof service.elasticsearch = Object.create(service.elasticsearch, {
        bulk: {
          value: async (...request: Parameters<typeof service.elasticsearch.bulk>) => {
            if (!isChanged) await changeTargets(service.database, WITHOUT_LOCK, () => Promise.resolve());
            isChanged = true;
            return service.elasticsearch.bulk(...request);
          },
        },
      });
      await indexContent({ ...service, elasticsearch }, job);
    });
    for (const contentId of job.contentIds) expect(await pendingRow(contentId)).toMatchObject(FREE);
  });
});

it('an item that changes while its job runs is free again, although the other items of the job are done', async () => {
  const changed = await service.client.upload();
  const other = await service.client.upload();
  await deliver(service, await claimOne(), () => edit(changed, { name: 'newer' }));
  expect(await pendingRow(other)).toBe(undefined);
  expect(await pendingRow(changed)).toMatchObject({ ...FREE, revision: 2 });
  expect(await readItemStates(service.database, [changed])).toMatchObject([{ indexedRevision: 1 }]);
});

it('the list of targets cannot change during an acknowledgement', async () => {
  const id = await service.client.upload();
  const { jobId } = await claimOne();
  const { database } = service;
  const others = openStores(service.env);
  let work: Promise<unknown> = Promise.resolve();
  await database.transaction(async (tx) => {
    await tx.query('select from index_outbox where content_id = $1 for update', [id]);
    const acknowledging = acknowledge(others.database, {
      jobId,
      generation: -1,
      results: [{ result: 'acknowledged', contentId: id, revision: 1 }],
    });
    await until('the acknowledgement waits', async () => (await countLockWaits(database)) === 1);
    const changing = changeTargets(others.database, WITHOUT_LOCK, () => Promise.resolve());
    await until('the change of the list waits', async () => (await countLockWaits(database)) === 2);
    work = Promise.all([acknowledging, changing]);
  });
  await work;
  await others.close();
});

it('all changes of a bulk request are retried when the response lacks some of them', async () => {
  const { indexName = '' } = (await findTarget(service, 'search')) ?? {};
  const changes = await insertItems(service.database, { count: 2 });
  const bulk = async (request: Parameters<typeof service.elasticsearch.bulk>[0]) => {
    const response = await service.elasticsearch.bulk(request);
    return { ...response, items: response.items.slice(1) };
  };
  const elasticsearch = Object.create(service.elasticsearch, { bulk: { value: bulk } });
  const results = await writeChanges(
    elasticsearch,
    indexName,
    changes.map((contentId) => ({ contentId, revision: 1, source: '{"deleted":true}' })),
  );
  expect([...results.values()].map(({ outcome }) => outcome)).toEqual(['retry', 'retry']);
});

describe('during the deployment of a new mapping', () => {
  const searchedHasMapping = (version: number) =>
    service.database.query(`update index_target set mapping_version = $1 where role = 'search'`, [version]);
  afterEach(() => searchedHasMapping(MAPPING_VERSION));

  it('an older indexer does not write to an index with a newer mapping', async () => {
    const id = await service.client.upload();
    await searchedHasMapping(MAPPING_VERSION + 1);
    await indexContent(service, await claimOne());
    expect(await indexedRevision(id)).toBe(undefined);
    expect(await pendingRow(id)).toMatchObject({ jobId: null, rejectedReason: null });
    await forgetItem(service.database, id);
  });

  it('an item is not rejected because of an index with an older mapping', async () => {
    const id = await insertPoison(service.database);
    await searchedHasMapping(OLDER_VERSION);
    await indexContent(service, await claimOne());
    expect(await pendingRow(id)).toMatchObject({ jobId: null, rejectedReason: null });
    await forgetItem(service.database, id);
  });
});

describe('while indexing is paused', () => {
  beforeEach(() => pauseIndexing(service.database));
  afterEach(() => resumeIndexing(service.database));

  it('no change can be claimed', async () => {
    await service.client.upload();
    expect(await claim()).toEqual([]);
  });

  it('a job that was claimed earlier writes nothing and releases its rows', async () => {
    await resumeIndexing(service.database);
    const id = await service.client.upload();
    const job = await claimOne();
    await pauseIndexing(service.database);
    await indexContent(service, job);
    expect(await indexedRevision(id)).toBe(undefined);
    expect(await pendingRow(id)).toEqual({ ...FREE, revision: 1 });
  });
});

it('a delayed change does not postpone an earlier change of the same item', async () => {
  const id = await service.client.upload();
  await service.client.send('POST', `/api/content/${id}/downloads`);
  expect(await pendingRow(id)).toMatchObject({ revision: 2, due: true });
});

describe('a rejected change', () => {
  it('is not claimed again', async () => {
    const id = await insertPoison(service.database);
    await indexContent(service, await claimOne());
    expect(await pendingRow(id)).toMatchObject({ rejectedReason: expect.stringContaining('tagKeys'), due: true });
    expect(await claim()).toEqual([]);
    await forgetItem(service.database, id);
  });

  it('is claimed again after the next change of its item', async () => {
    const id = await insertPoison(service.database);
    await indexContent(service, await claimOne());
    await edit(id, { tags: ['corrected'] });
    expect(await pendingRow(id)).toMatchObject({ rejectedReason: null });
    await deliverAll(service);
    expect(await indexedRevision(id)).toBe(2);
  });
});

describe('a claim', () => {
  it('skips rows that another transaction has locked', async () => {
    const [taken = 0, free = 0] = await insertItems(service.database, { count: 2 });
    await service.database.transaction(async (tx) => {
      await tx.query('select from index_outbox where content_id = $1 for update', [taken]);
      expect((await claim()).map(({ contentIds }) => contentIds)).toEqual([[free]]);
    });
  });

  it('cannot be claimed a second time', async () => {
    await insertItems(service.database, { count: 1 });
    const job = await claimOne();
    expect(await claim()).toEqual([]);
    await indexContent(service, job);
  });

  it('cannot be claimed by another job when its item changes', async () => {
    const id = await service.client.upload();
    const job = await claimOne();
    await edit(id, { name: 'newer' });
    expect(await claim()).toEqual([]);
    await indexContent(service, job);
  });

  it('of an item that was lost three times is isolated in a job of its own', async () => {
    const [suspect = 0, ...others] = await insertItems(service.database, { count: 3 });
    await service.database.query('update index_outbox set claims = 3 where content_id = $1', [suspect]);
    const jobs = await claim();
    expect(jobs.map(({ contentIds }) => contentIds.toSorted((a, b) => a - b)).toSorted((a, b) => a.length - b.length)).toEqual([
      [suspect],
      others,
    ]);
    for (const job of jobs) await indexContent(service, job);
  });

  it('is counted when its job is lost, but not when its job could not be enqueued', async () => {
    const [id = 0] = await insertItems(service.database, { count: 1 });
    await undoClaims(service.database, [(await claimOne()).jobId]);
    expect(await pendingRow(id)).toMatchObject({ claims: 0, due: true });
    await releaseLostJobs(service.database, [(await claimOne()).jobId]);
    expect(await pendingRow(id)).toMatchObject({ claims: 1, due: true });
  });

  it('is reported as lost when it is older than the limit', async () => {
    await insertItems(service.database, { count: 1 });
    const { jobId, contentIds } = await claimOne();
    expect(await listUnacknowledgedJobs(service.database, 3_600_000)).toEqual([]);
    await service.database.query(`update index_outbox set claimed_at = claimed_at - interval '61 min' where job_id = $1`, [jobId]);
    expect(await listUnacknowledgedJobs(service.database, 3_600_000)).toEqual([jobId]);
    await indexContent(service, { jobId, contentIds });
  });
});

describe('after any history', () => {
  /** Number of items with a random history, and with jobs that are late, repeated and reordered. */
  const ITEMS = 3;
  /** Deliveries of a job at the same time, each with its own connection. */
  const MAX_DELIVERIES = 10;
  const item = fc.nat(ITEMS - 1);
  const command = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('edit' as const), item, name: fc.string({ minLength: 1, maxLength: 5, unit: 'grapheme' }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('rate' as const),
        item,
        user: fc.integer({ min: 2, max: 3 }),
        score: fc.integer({ min: 1, max: 5 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('download' as const), item }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), item }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('claim' as const) }) },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('deliver' as const), job: fc.nat(20), times: fc.integer({ min: 1, max: MAX_DELIVERIES }) }),
    },
  );
  type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

  let service: Service;
  let stores: Stores;
  beforeAll(async () => {
    service = await startService();
    stores = openStores(service.env, MAX_DELIVERIES);
    await stopDelivery(service);
  });
  afterAll(async () => {
    await stores.close();
    await service.stop();
  });

  it('the index equals the database after any history and any order of deliveries', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 25 }), async (commands) => {
        const ids: number[] = [];
        for (let n = 0; n < ITEMS; n++) ids.push(await service.client.upload({ name: `start ${n}` }));
        const jobs: Claim[] = [];
        for (const step of commands) await perform(step, ids, jobs);
        await drain();
        await expectEqual(ids);
      }),
      { numRuns: Number(process.env['CONVERGENCE_RUNS'] ?? runs(8, 25)) },
    );
  });

  async function perform(step: Command, ids: number[], jobs: Claim[]): Promise<void> {
    const path = 'item' in step ? `/api/content/${ids[step.item]}` : '';
    if (step.kind === 'edit') await service.client.send('PATCH', path, { name: step.name });
    else if (step.kind === 'rate') await service.client.send('PUT', `${path}/rating`, { score: step.score }, step.user);
    else if (step.kind === 'download') await service.client.send('POST', `${path}/downloads`);
    else if (step.kind === 'delete') await service.client.send('DELETE', path);
    else if (step.kind === 'claim') jobs.push(...(await claimDue(service.database, randomUUID(), { atMost: 2 })));
    else await deliver(jobs[step.job % Math.max(jobs.length, 1)], step.times);
  }

  // Concurrent deliveries of a job occur when a worker loses its lock.
  async function deliver(job: Claim | undefined, times: number): Promise<void> {
    if (job) await Promise.all(Array.from({ length: times }, () => indexContent(stores, job)));
  }

  async function drain(): Promise<void> {
    await service.database.query(`update index_outbox set job_id = null, claimed_at = null, due_at = now()`);
    for (;;) {
      const claims = await claimDue(service.database, randomUUID(), { atMost: 100 });
      if (claims.length === 0) return;
      for (const claim of claims) await indexContent(service, claim);
      await service.database.query(`update index_outbox set due_at = now() where job_id is null`);
    }
  }

  async function expectEqual(ids: number[]): Promise<void> {
    await ensureIndex(indexDeps(service));
    const rows = await service.database.query(
      `select content_id, revision, name, downloads_count, avg_rating, deleted_at is not null as deleted from content where content_id = any($1) order by content_id`,
      [ids],
    );
    const { docs } = await service.elasticsearch.mget({ index: service.alias, ids: ids.map(String) });
    const indexed = docs.map((doc) => {
      const { _version: revision, _source: source } = doc as { _version?: number; _source?: Record<string, unknown> };
      return { revision, ...source };
    });
    expect(indexed).toMatchObject(
      rows.map((row) =>
        row['deleted']
          ? { revision: row['revision'], deleted: true }
          : {
              revision: row['revision'],
              name: row['name'],
              downloadsCount: row['downloadsCount'],
              avgRating: row['avgRating'],
              deleted: false,
            },
      ),
    );
  }
});
