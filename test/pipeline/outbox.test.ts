import type { JobType } from 'bullmq';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openIndexQueue } from '@ugc/shared/contracts/index-queue';
import { pauseIndexing, resumeIndexing } from '@ugc/shared/indices/index-control';
import { acknowledge } from '@ugc/shared/outbox/acknowledge';
import { ClaimBound } from '@ugc/shared/outbox/claim-bound';
import { claimDue, pullForward, releaseAcknowledgedJob, releaseLostJobs, undoClaims } from '@ugc/shared/outbox/claim';
import { markPending } from '@ugc/shared/outbox/mark-pending';
import { UNCLAIMED } from '@ugc/shared/outbox/states';
import { dropRejected, rejectChanges, retryRejected } from '@ugc/shared/outbox/rejected';
import type { Database, Query, Tx } from '@ugc/shared/postgres/postgres';
import { describeOldTransaction, readOldTransactions } from '@ugc/shared/postgres/old-transactions';
import { connectProducer } from '@ugc/shared/redis/redis';
import { randomUUID } from 'node:crypto';
import { insertItems } from '../support/database/insert-items.ts';
import { CLAIMED, countOutbox } from '../support/database/outbox.ts';
import { countLockWaits } from '../support/database/sessions.ts';
import { storeContent } from '../support/database/stored-content.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { createEnvironment } from '../support/processes/environment.ts';
import { openStores, startService, type Stores } from '../support/processes/service.ts';

/** @param lookBelowEveryMs as of ClaimBound */
async function advancedBound(database: Database, lookBelowEveryMs?: number): Promise<ClaimBound> {
  const bound = new ClaimBound({ table: 'index_outbox', claimable: UNCLAIMED }, lookBelowEveryMs);
  await until('the bound has advanced', async () => (await bound.advance(database), bound.after !== null));
  return bound;
}

describe('a claim', () => {
  const service = forAllTests(() => startService());

  it('an item whose transaction commits 5 s after its change became due is indexed', async () => {
    await service.database.transaction(async (tx) => {
      await tx.query(
        `with c as (insert into content (creator_id, name, description, data, version) values (1, 'committed late', '', '', 1)
           returning content_id, revision)
         insert into index_outbox (content_id, revision, pending_since, due_at)
         select content_id, revision, now() - interval '5 s', now() - interval '5 s' from c`,
      );
      // Meanwhile the relay claims rows that became due later.
      for (let n = 0; n < 3; n++) {
        await service.client.upload({ name: 'overtaking' });
        await service.indexed();
      }
    });
    await until('the item is found', async () => (await service.client.search('"committed late"')).length === 1);
    expect(await service.client.search('overtaking')).toHaveLength(3);
  });

  type Plan = {
    'Index Name'?: string;
    'Index Cond'?: string;
    'Rows Removed by Filter'?: number;
    'Shared Hit Blocks'?: number;
    'Shared Read Blocks'?: number;
    'Rows Removed by Join Filter'?: number;
    'Actual Rows'?: number;
    'Actual Loops'?: number;
    Plans?: Plan[];
  };

  function scansOf(plan: Plan): Plan[] {
    return [plan, ...(plan.Plans ?? []).flatMap(scansOf)];
  }

  /**
   * The nodes of PostgreSQL's plans for the statements on the outbox that `work` sends, which get no rows. What is explained,
   * and `prepare` before it, is carried out and rolled back.
   */
  async function explained(
    database: Database,
    work: (explaining: Database) => Promise<unknown>,
    prepare: (tx: Tx) => Promise<unknown> = async () => undefined,
  ): Promise<Plan[]> {
    const scans: Plan[] = [];
    const explain = async (tx: Tx): Promise<void> => {
      const query = (async (text, values) => {
        if (typeof text !== 'string' || !text.includes('index_outbox')) return tx.query(text, values);
        const [row] = await tx.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(`explain (analyze, buffers, format json) ${text}`, values);
        scans.push(...scansOf(row?.['QUERY PLAN'][0]?.Plan ?? {}));
        return [];
      }) as Query;
      await prepare(tx);
      await work({ ...database, query, transaction: (run) => run({ query } as Tx) });
    };
    await database
      .transaction(async (tx) => (await explain(tx), Promise.reject(new Error('explained'))))
      .catch((error: unknown) => {
        if (String(error) !== 'Error: explained') throw error;
      });
    return scans;
  }

  it('a claim reads no row that is not due yet', async () => {
    await service.database.query(
      `insert into index_outbox (content_id, revision, due_at)
       select n, 1, now() + interval '1 hour' from generate_series(1000001, 1020000) n`,
    );
    await service.database.query('analyze index_outbox');
    const scans = await explained(service.database, (database) => claimDue(database, randomUUID(), { atMost: 100 }));
    const due = scans.find((scan) => scan['Index Name'] === 'index_outbox_due');
    expect(due?.['Index Cond']).toContain('due_at <= ');
    expect(scans.map((scan) => scan['Rows Removed by Filter'] ?? 0).reduce((sum, rows) => sum + rows)).toBe(0);
    await service.database.query('delete from index_outbox where content_id > 1000000');
  });

  /** As much indexing leaves it beside a transaction that reads. Nobody claims the rows: they are not committed before they are gone. */
  const leaveDead = (database: Database, rows: number) =>
    database.transaction(async (tx) => {
      await tx.query(
        `insert into index_outbox (content_id, revision, due_at)
         select n, 1, now() - interval '1 hour' from generate_series(2000001, 2000000 + $1) n`,
        [rows],
      );
      await tx.query('delete from index_outbox where content_id > 2000000');
    });
  describe('while the statistics are those of the empty table', () => {
    const [firstFree, firstClaimed, firstRejected] = [1_000_000, 1_004_000, 1_008_000];
    const ids = (first: number): number[] => Array.from({ length: 500 }, (_, n) => first + n);
    const jobId = randomUUID();
    const results = (first: number) => ids(first).map((contentId) => ({ result: 'acknowledged', contentId, revision: 1 }) as const);
    const generation = async (): Promise<number> =>
      (await service.database.query<{ generation: number }>('select generation from index_control'))[0]?.generation ?? 0;
    const rejections = ids(firstClaimed).map((contentId) => ({ contentId, revision: 1, reason: 'no document' }));
    const fill = async ({ query }: Tx): Promise<void> => {
      const insert = `insert into index_outbox (content_id, revision, job_id, claimed_at, rejected_reason, due_at)`;
      await query(`${insert} select n, 1, null, null, null, now() from generate_series($1::integer, $1 + 3999) n`, [firstFree]);
      await query(`${insert} select n, 1, $2::uuid, now(), null, 'infinity' from generate_series($1::integer, $1 + 3999) n`, [
        firstClaimed,
        jobId,
      ]);
      await query(`${insert} select n, 1, null, null, 'x', now() from generate_series($1::integer, $1 + 3999) n`, [firstRejected]);
    };

    beforeAll(async () => {
      const { database } = service;
      await service.indexed();
      await database.query('alter table index_outbox set (autovacuum_enabled = false)');
      // As long as a page cannot be given back, PostgreSQL remembers that it has no row.
      await leaveDead(database, 1_000);
      await database.query('vacuum (truncate false, analyze) index_outbox');
    });
    afterAll(() => service.database.query('alter table index_outbox reset (autovacuum_enabled)'));

    it.each<[string, (database: Database) => Promise<unknown>]>([
      ['a claim', (database) => claimDue(database, randomUUID(), { atMost: 500 })],
      ['a claim of hidden items', (database) => claimDue(database, randomUUID(), { atMost: 500, hidden: true })],
      [
        'an acknowledgement',
        async (database) => acknowledge(database, { jobId, generation: await generation(), results: results(firstClaimed) }),
      ],
      ['the release of an acknowledged job', (database) => database.transaction((tx) => releaseAcknowledgedJob(tx, jobId))],
      ['the end of claims that were not queued', (database) => undoClaims(database, [jobId])],
      ['the release of a lost job', (database) => releaseLostJobs(database, [jobId])],
      ['a pull forward', pullForward],
      ['a rejection', (database) => database.transaction((tx) => rejectChanges(tx, rejections))],
      ['a retry of rejected items', (database) => retryRejected(database, ids(firstRejected))],
      ['a drop of rejected items', (database) => dropRejected(database, ids(firstRejected))],
    ])('%s reads no row again for each of its items', async (_, work) => {
      const read = (plan: Plan): number =>
        (plan['Actual Loops'] ?? 0) *
        ((plan['Actual Rows'] ?? 0) + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Join Filter'] ?? 0));
      const scans = await explained(service.database, work, fill);
      expect(scans.length).toBeGreaterThan(0);
      // 500 items beside the 500 of a list of ids: 250,000. One reading of the table for each: 2,000,000 to 6,000,000.
      expect(Math.max(...scans.map(read))).toBeLessThan(300_000);
    });
  });

  const blocksOf = ([plan]: Plan[]): number => (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0);

  it('beside a transaction that reads for long, a claim reads no more blocks with many dead rows than with few', async () => {
    const { database } = service;
    const advanced = async (): Promise<string> => {
      const bound = await advancedBound(database);
      return bound.after ?? '';
    };
    const read = async (after: string | null): Promise<number> =>
      blocksOf(await explained(database, (explaining) => claimDue(explaining, randomUUID(), { atMost: 100, after })));
    await database.transaction(async (reader) => {
      await reader.query('set transaction isolation level repeatable read');
      await reader.query('select count(*) from content');
      const [{ pid } = { pid: 0 }] = await reader.query<{ pid: number }>('select pg_backend_pid() as pid');
      // A short transaction of the relay may hold a snapshot that is as old.
      let found = await readOldTransactions(database, 0);
      await until('the reader holds the oldest snapshot', async () => {
        found = await readOldTransactions(database, 0);
        return found.holder?.pid === pid;
      });
      expect(found.holder).toMatchObject({ kind: 'session', since: expect.any(Date) });
      expect(describeOldTransaction({ ...found, deadRows: 600_000 })).toMatch(
        new RegExp(`600,000 dead rows.*session ${pid} \\(.+, since 2.*Z\\) may still read them; .*pg_terminate_backend\\(${pid}\\)$`),
      );
      const few = await read(await advanced());
      await leaveDead(database, 30_000);
      const bound = await advanced();
      expect(await read(bound)).toBeLessThan(few + 20);
      // Without the bound it reads all of them.
      expect(await read(null)).toBeGreaterThan(few + 200);
    });
  });
});

describe('many changes of one creator', () => {
  /** There is no indexer, so jobs remain in the queue. */
  const api = forAllTests(() => startApiAlone());

  it('get a job of their own, which the jobs of others overtake', async () => {
    const redis = connectProducer({ REDIS_URL: api.env['REDIS_URL'] ?? '' }, () => undefined);
    const queue = openIndexQueue(redis, api.env['QUEUE_PREFIX'] ?? '', () => undefined);
    await pauseIndexing(api.database);
    const crowd = await insertItems(api.database, { count: 150 });
    const [other = 0] = await storeContent(api.database, [{ creatorId: 2 }]);
    await resumeIndexing(api.database);
    const idsOf = async (state: JobType) => (await queue.getJobs([state])).flatMap(({ data }) => data.contentIds);
    // A claim is committed before its job is added.
    const added = async () => (await idsOf('waiting')).length + (await idsOf('prioritized')).length;
    await until('all are in jobs', async () => (await added()) === crowd.length + 1);
    expect(await idsOf('waiting')).toEqual([other]);
    expect((await idsOf('prioritized')).toSorted((one, two) => one - two)).toEqual(crowd);
    redis.disconnect();
  });
});

describe('the relay', () => {
  /** There is no indexer, so jobs remain in the queue. */
  const api = forAllTests(() => startApiAlone());

  async function jobOf(contentId: number): Promise<string | null | undefined> {
    const [row] = await api.database.query<{ jobId: string | null }>('select job_id from index_outbox where content_id = $1', [contentId]);
    return row?.jobId;
  }

  const claimedLongAgo = (contentIds: number[]) =>
    api.database.query(`update index_outbox set claimed_at = claimed_at - interval '1 hour' where content_id = any($1)`, [contentIds]);

  it('the relay claims the changes of a lost job again and leaves the changes of a waiting job claimed', async () => {
    const [waiting = 0, lost = 0] = await insertItems(api.database, { count: 2 });
    await until('both items are claimed', async () => (await countOutbox(api.database, CLAIMED)) === 2);
    const waitingJob = await jobOf(waiting);
    const lostJob: string = randomUUID();
    await api.database.query('update index_outbox set job_id = $2 where content_id = $1', [lost, lostJob]);
    await claimedLongAgo([waiting, lost]);
    await until('the change of the lost job is claimed again', async () => ![lostJob, null, undefined].includes(await jobOf(lost)));
    expect(await jobOf(waiting)).toBe(waitingJob);
  });

  it('while a job waits for an indexer, single changes collect into few jobs, and none is left unclaimed', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 30; n += 1) ids.push(await api.client.upload());
    await until('all are claimed', async () => (await countOutbox(api.database, `not (${CLAIMED})`)) === 0);
    const jobs = await api.database.query(`select distinct job_id from index_outbox where content_id = any($1)`, [ids]);
    expect(jobs.length).toBeLessThan(15);
  });
});

describe('rows of the outbox', () => {
  const JOB = '00000000-0000-4000-8000-000000000000';

  let stores: Stores;
  beforeAll(async () => {
    stores = openStores(await createEnvironment());
  });
  afterAll(() => stores.close());
  beforeEach(() => stores.database.query('delete from index_outbox'));

  /** Inserts two rows, the larger id first, so that a scan of the table or of equal index keys reads it first. */
  async function insertBackwards({ database }: Stores, columns: string, values: string): Promise<void> {
    for (const id of [2, 1]) {
      await database.query(`insert into index_outbox (content_id, revision, ${columns}) values ($1, 1, ${values})`, [id]);
    }
  }

  const changeBackwards = (database: Database) =>
    database.transaction((tx) =>
      markPending(
        tx,
        [2, 1].map((id) => ({ contentId: id, revision: 2 })),
      ),
    );
  const release = (database: Database) => acknowledge(database, { jobId: JOB, generation: -1, results: [] });
  const done = [2, 1].map((contentId) => ({ result: 'acknowledged' as const, contentId, revision: 1 }));
  const older = done.map((result) => ({ ...result, revision: 0 }));

  it.each<[string, (database: Database) => Promise<unknown>]>([
    ['index:rejected retry --all', (database) => retryRejected(database, 'all')],
    ['index:rejected retry of the items', (database) => retryRejected(database, [1, 2])],
    ['the next change of the items', changeBackwards],
  ])('an item that was rejected days ago has waited since %s, and is claimed with the changes of that time', async (_, work) => {
    const { database } = stores;
    const ago = `now() - interval '3 days'`;
    await insertBackwards(stores, 'rejected_reason, pending_since, due_at', `'a test', ${ago}, ${ago}`);
    const [{ after } = { after: '' }] = await database.query<{ after: string }>(`select (now() - interval '1 minute')::text as after`);
    await work(database);
    expect(await countOutbox(database, `pending_since > $$${after}$$ and rejected_reason is null`)).toBe(2);
    expect((await claimDue(database, randomUUID(), { atMost: 10, after })).flatMap(({ contentIds }) => contentIds)).toHaveLength(2);
  });

  const claimed = async (database: Database, after: string | null): Promise<number[]> =>
    (await claimDue(database, randomUUID(), { atMost: 10, after })).flatMap(({ contentIds }) => contentIds).toSorted();
  /** Jobs that wait in the queue have the items, which have changed minutes ago. */
  const changeWhileQueued = () => insertBackwards(stores, 'job_id, claimed_at, due_at', `'${JOB}', now(), now() - interval '5 minutes'`);
  const retried = [1, 2].map((contentId) => ({ result: 'retried' as const, contentId, reason: 'a test' }));
  const generation = async (): Promise<number> =>
    (await stores.database.query<{ generation: number }>('select generation from index_control'))[0]?.generation ?? -1;

  describe('an item that changes while its job waits for minutes is in the next claim', () => {
    let after: string | null = null;
    beforeAll(async () => {
      await stores.database.query('delete from index_outbox');
      ({ after } = await advancedBound(stores.database));
    });

    it.each<[string, (database: Database) => Promise<unknown>]>([
      ['Elasticsearch does not take it', (database) => acknowledge(database, { jobId: JOB, generation: -1, results: retried })],
      [
        'an older revision is indexed',
        async (database) => acknowledge(database, { jobId: JOB, generation: await generation(), results: older }),
      ],
      ['the list of targets changes', (database) => acknowledge(database, { jobId: JOB, generation: -1, results: older })],
      ['indexing is paused', release],
      ['the job is lost', (database) => releaseLostJobs(database, [JOB])],
      ['Redis does not accept the job', (database) => undoClaims(database, [JOB])],
    ])('when %s', async (_, work) => {
      await changeWhileQueued();
      await work(stores.database);
      expect(await claimed(stores.database, after)).toEqual([1, 2]);
    });
  });

  it('what an indexer of 1.0.0 releases with the time of a change of minutes ago is claimed, all of it', async () => {
    const { database } = stores;
    await changeWhileQueued();
    const bound = await advancedBound(database, 0);
    await database.query('update index_outbox set job_id = null, claimed_at = null');
    expect(await claimed(database, bound.after)).toEqual([]);
    await until('the bound is forgotten', async () => (await bound.advance(database), bound.after === null));
    expect(await claimed(database, bound.after)).toEqual([1, 2]);
  });

  it('an item that is pending has waited since its first change', async () => {
    const { database } = stores;
    await insertBackwards(stores, 'pending_since', `now() - interval '3 days'`);
    await changeBackwards(database);
    expect(await countOutbox(database, `pending_since < now() - interval '1 day'`)).toBe(2);
  });

  it.each<[string, string, string, (database: Database) => Promise<unknown>]>([
    ['the acknowledgement of a job without results, as while indexing is paused', 'job_id, claimed_at', `'${JOB}', now()`, release],
    [
      'the acknowledgement of a job',
      'job_id, claimed_at',
      `'${JOB}', now()`,
      (database) => acknowledge(database, { jobId: JOB, generation: -1, results: done }),
    ],
    ['the release of a lost job', 'job_id, claimed_at', `'${JOB}', now()`, (database) => releaseLostJobs(database, [JOB])],
    ['the release of a job that Redis did not accept', 'job_id, claimed_at', `'${JOB}', now()`, (database) => undoClaims(database, [JOB])],
    ['another batch of changes', 'pending_since', 'now()', changeBackwards],
    ['index:rejected retry --all', 'rejected_reason', `'a test'`, (database) => retryRejected(database, 'all')],
    ['index:rejected drop --all', 'rejected_reason', `'a test'`, (database) => dropRejected(database, 'all')],
    ['index:rejected retry of two items', 'rejected_reason', `'a test'`, (database) => retryRejected(database, [2, 1])],
    ['index:rejected drop of two items', 'rejected_reason', `'a test'`, (database) => dropRejected(database, [2, 1])],
  ])('%s does not deadlock with a rename of the same items', async (_, columns, values, work) => {
    await insertBackwards(stores, columns, values);
    let other: Promise<unknown> = Promise.resolve();
    // Locks the items as a rename does: one after the other, in content_id order.
    await stores.database.transaction(async (tx) => {
      await markPending(tx, [{ contentId: 1, revision: 2 }]);
      other = work(stores.database);
      other.catch(() => undefined);
      await until('the statement waits for the rename', async () => (await countLockWaits(stores.database)) > 0);
      await markPending(tx, [{ contentId: 2, revision: 2 }]);
    });
    await other;
    expect(await stores.database.query('select content_id, revision, rejected_reason from index_outbox order by content_id')).toEqual(
      [1, 2].map((id) => ({ contentId: id, revision: 2, rejectedReason: null })),
    );
  });
});
