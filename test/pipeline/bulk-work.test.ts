import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { carryAll } from '@ugc/items/people/followed-names';
import { eraseUser } from '@ugc/items/people/erase-user';
import { renameUser } from '@ugc/items/people/rename-user';
import { auditIndex } from '@ugc/indexer/comparison/audit';
import { pauseIndexing, resumeIndexing } from '@ugc/shared/indices/index-control';
import { findTarget } from '@ugc/shared/indices/targets';
import { bulkBackpressure, BULK_BATCH_SIZE, BULK_PENDING_LIMIT, type BackpressureOptions } from '@ugc/shared/outbox/backlog';
import { retryRejected } from '@ugc/shared/outbox/rejected';
import type { Database, Query, Statement } from '@ugc/shared/postgres/postgres';
import { insertItems } from '../support/database/insert-items.ts';
import { countOutbox, NOT_REJECTED } from '../support/database/outbox.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { rows } from '../support/jest/long.ts';
import { until } from '../support/jest/until.ts';
import { USERS } from '../support/processes/environment.ts';
import { startService } from '../support/processes/service.ts';

describe('work on thousands of items', () => {
  const ITEMS = 2_000;
  const NEVER_MS = 3_600_000;

  const service = forAllTests(() => startService());
  beforeEach(() => pauseIndexing(service.database));
  afterEach(async () => {
    // Rows that a failed test left behind would never be indexed.
    await service.database.query('delete from index_outbox where content_id > 1000000');
    await resumeIndexing(service.database);
    await service.indexed();
  });

  it('the names of users whose names have followed tokens are carried in turn, a batch of each', async () => {
    await itemsOf(USERS.ada, false);
    await itemsOf(USERS.boris, false);
    await service.database.query(`insert into rename_progress (user_id) values ($1), ($2)`, [USERS.ada, USERS.boris]);
    await service.database.query('update users set name_issued_at = now()');
    const carried: unknown[] = [];
    const query: Query = async (statement, values) => {
      // As if indexers kept up.
      await service.database.query('delete from index_outbox');
      if (String(statement).includes('order by user_id <= $1')) carried.push(values?.[0]);
      return service.database.query(statement, values);
    };
    await carryAll({ ...service.database, query }, new AbortController().signal);
    expect(carried.slice(0, 5)).toEqual([0, USERS.ada, USERS.boris, USERS.ada, USERS.boris]);
    expect(await service.database.query('select from rename_progress')).toEqual([]);
  });

  const ERASED = 4;
  const addUser = (id: number) =>
    service.database.query(`insert into users (user_id, username, credential) values ($1::int, 'erased', $1) on conflict do nothing`, [id]);

  type BulkWork = (database: Database, pace: BackpressureOptions) => Promise<unknown>;

  async function itemsOf(userId: number, pending: boolean): Promise<void> {
    const ids = await insertItems(service.database, { count: ITEMS, pending });
    await service.database.query('update content set creator_id = $1 where content_id = any($2)', [userId, ids]);
  }

  const works: [string, { prepare: () => Promise<void>; run: BulkWork }][] = [
    [
      'a rename',
      {
        prepare: () => itemsOf(USERS.boris, false),
        run: (database, pace) => renameUser(database, USERS.boris, `Boris ${performance.now()}`, () => undefined, pace),
      },
    ],
    [
      'an erasure',
      {
        prepare: async () => {
          await addUser(ERASED);
          await itemsOf(ERASED, false);
        },
        run: (database, pace) => eraseUser(database, ERASED, pace),
      },
    ],
    [
      'a retry of all rejected changes',
      {
        prepare: async () => {
          await itemsOf(USERS.ada, true);
          await service.database.query(`update index_outbox set rejected_reason = 'a test'`);
        },
        run: (database, pace) => retryRejected(database, 'all', pace),
      },
    ],
    [
      'a repair',
      {
        prepare: () => itemsOf(USERS.ada, false),
        run: async (database, pace) => {
          const index = (await findTarget({ database, alias: service.alias }, 'search'))?.indexName ?? '';
          const quiet = { found: () => undefined, progress: () => undefined };
          await auditIndex({ ...indexDeps(service), database }, index, { repair: true, ...quiet, pace });
        },
      },
    ],
  ];

  /** Counts how often the last statement was repeated in succession, without a transaction in between. */
  function observed(database: Database): { database: Database; repeats: () => number } {
    let last: Statement | undefined;
    let repeats = 0;
    const query = ((statement, values) => {
      repeats = statement === last ? repeats + 1 : 0;
      last = statement;
      return database.query(statement, values);
    }) as Query;
    const transaction: Database['transaction'] = (work) => {
      repeats = 0;
      return database.transaction(work);
    };
    return { database: { ...database, query, transaction }, repeats: () => repeats };
  }

  describe.each(rows(1, works))('%s of thousands of items', (_, { prepare, run }) => {
    it('leaves a limited number of changes ahead of a new upload and continues as they are indexed', async () => {
      await prepare();
      const { database, repeats } = observed(service.database);
      const ended = { value: false };
      const bulk = run(database, { maxWaitMs: NEVER_MS }).finally(() => (ended.value = true));
      await until('the bulk work waits or has ended', () => ended.value || repeats() >= 5);
      const id = await service.client.upload({ name: 'after the bulk' });
      const ahead = await countOutbox(
        service.database,
        `${NOT_REJECTED} and due_at < (select due_at from index_outbox where content_id = ${id})`,
      );
      expect(ahead).toBeGreaterThan(0);
      expect(ahead).toBeLessThan(BULK_PENDING_LIMIT + BULK_BATCH_SIZE);

      await resumeIndexing(service.database);
      await bulk;
      await service.indexed();
      expect(await countOutbox(service.database)).toBe(0);
    });

    it('adds the next batch after maxWaitMs, however many changes are pending', async () => {
      await prepare();
      await run(service.database, { maxWaitMs: 1, signal: AbortSignal.timeout(120_000) });
      expect(await countOutbox(service.database, NOT_REJECTED)).toBeGreaterThanOrEqual(ITEMS);
    });
  });

  it('bulk work waits before a batch also if it has taken long to find it', async () => {
    await itemsOf(USERS.ada, true);
    const { database, repeats } = observed(service.database);
    const ended = { value: false };
    const waitForBacklog = bulkBackpressure(database, { maxWaitMs: NEVER_MS });
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + 2 * NEVER_MS);
    const waiting = waitForBacklog().finally(() => (ended.value = true));
    clock.mockRestore();
    await until('the bulk work waits or has ended', () => ended.value || repeats() >= 5);
    expect(ended.value).toBe(false);
    await service.database.query('delete from index_outbox');
    await waiting;
  });

  it('bulk work rests when many changes were pending, as long as these have taken, so that lists have half of the time', async () => {
    const counts = [BULK_PENDING_LIMIT - 1, BULK_PENDING_LIMIT, BULK_BATCH_SIZE - 1];
    const database = { query: () => Promise.resolve([{ count: counts.shift() ?? 0 }]) } as unknown as Pick<Database, 'query'>;
    const stop = new AbortController();
    const waitForBacklog = bulkBackpressure(database, { maxWaitMs: 2 * NEVER_MS, signal: stop.signal });
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + NEVER_MS);
    await waitForBacklog();
    const resting = expect(waitForBacklog()).rejects.toThrow('aborted');
    await until('most changes are indexed', () => counts.length === 0);
    stop.abort();
    await resting;
    clock.mockRestore();
  });

  it('bulk work waits for claimed changes and does not wait for rejected changes', async () => {
    await itemsOf(USERS.boris, false);
    const stop = new AbortController();
    const insertRows = (state: string) =>
      service.database.query(
        `insert into index_outbox (content_id, revision, rejected_reason, job_id, claimed_at)
         select n, 1, ${state} from generate_series(1000001, 1001500) n`,
      );
    await insertRows(`null, '00000000-0000-4000-8000-000000000000', now() + interval '1 hour'`);
    const { database, repeats } = observed(service.database);
    const waiting = renameUser(database, USERS.boris, 'Borja', () => undefined, { maxWaitMs: NEVER_MS, signal: stop.signal });
    let ended = false;
    const stopped = expect(waiting.finally(() => (ended = true))).rejects.toThrow('aborted');
    await until('the bulk work waits or has ended', () => ended || repeats() >= 5);
    expect(await countOutbox(service.database, 'content_id < 1000000')).toBe(0);
    stop.abort();
    await stopped;

    await service.database.query('delete from index_outbox');
    await insertRows(`'a test', null, null`);
    const { database: observedAgain, repeats: repeatsAgain } = observed(service.database);
    const continuing = renameUser(observedAgain, USERS.boris, 'Borja', () => undefined, {
      maxWaitMs: NEVER_MS,
      signal: AbortSignal.timeout(120_000),
    });
    continuing.catch(() => undefined);
    await until('the bulk work waits', () => repeatsAgain() >= 5);
    expect(await countOutbox(service.database, 'content_id < 1000000')).toBe(BULK_PENDING_LIMIT);
    await service.database.query('delete from index_outbox where content_id > 1000000');
    await resumeIndexing(service.database);
    expect(await continuing).toBeGreaterThanOrEqual(ITEMS);
  });
});

describe('an erasure', () => {
  const service = forAllTests(() => startService());

  it('that was stopped continues after its last batch, with the items and the ratings of the user', async () => {
    const ids = await insertItems(service.database, { count: 1_200 });
    await service.database.query('update content set creator_id = $1 where content_id = any($2)', [USERS.boris, ids.slice(0, 600)]);
    await service.database.query(`insert into rating (content_id, user_id, score) select unnest($1::bigint[]), $2, 3`, [ids.slice(600), USERS.boris]);
    await service.database.query('update content set rating_sum = 3, rating_count = 1 where content_id = any($1)', [ids.slice(600)]);
    const stop = new Error('stopped');
    const done: number[] = [];
    const erase = (isStopped: boolean) => eraseUser(service.database, USERS.boris, { progress: (count) => { done.push(count); if (isStopped) throw stop; } });
    await expect(erase(true)).rejects.toBe(stop);
    expect(await erase(false)).toBe(true);
    expect(done.slice(0, 3)).toEqual([500, 500, 700]);
    expect(await service.database.query('select items, ratings from user_erasure')).toEqual([{ items: 600, ratings: 600 }]);
    await service.indexed();
    expect((await service.client.list({})).body.totalElements).toBe(600);
    expect((await service.client.list({ minRating: 1 })).body.totalElements).toBe(0);
    expect(await eraseUser(service.database, 999)).toBe(false);
  }); // prettier-ignore
});

describe('a rename', () => {
  const service = forAllTests(() => startService());
  beforeAll(async () => {
    await service.database.query(
      `with c as (insert into content (creator_id, name, description, data, version)
         select $1, 'item ' || n, '', '', 1 from generate_series(1, 1200) n returning content_id, revision)
       insert into index_outbox (content_id, revision) select content_id, revision from c`,
      [USERS.boris],
    );
    await service.indexed();
  });

  const countBy = async (name: string) => {
    const { body } = await service.client.list({ prompt: `"${name}"`, size: 1 });
    return body.totalElements;
  };

  it('lists show the new name of a user for all of the user’s items', async () => {
    expect(await renameUser(service.database, USERS.boris, 'Borislava Petrova', () => undefined)).toBe(1_200);
    await service.indexed();
    expect(await countBy('Borislava Petrova')).toBe(1_200);
    expect(await countBy('boris')).toBe(0);
  });

  it('a rename that was stopped continues after its last batch', async () => {
    const stop = new Error('stopped');
    const stopped = renameUser(service.database, USERS.boris, 'Borya', () => {
      throw stop;
    });
    await expect(stopped).rejects.toBe(stop);
    expect(await renameUser(service.database, USERS.boris, 'Borya', () => undefined)).toBe(700);
    await service.indexed();
    expect(await countBy('Borya')).toBe(1_200);
  });

  it('an item that the rename has not reached yet has a new entity tag, so that no 304 hides the new name', async () => {
    const [last] = await service.database.query<{ contentId: number }>(
      `select max(content_id) as content_id from content where creator_id = $1`,
      [USERS.boris],
    );
    const path = `/api/content/${last?.contentId}`;
    const before = await service.client.get(path);
    const stop = new Error('stopped');
    const stopped = renameUser(service.database, USERS.boris, 'Boris the Third', () => {
      throw stop;
    });
    await expect(stopped).rejects.toBe(stop);
    const known = { 'if-none-match': before.headers.get('etag') ?? '' };
    const after = await service.client.send('GET', path, undefined, 1, known);
    expect(after).toMatchObject({ status: 200, body: { creatorName: 'Boris the Third' } });
    await renameUser(service.database, USERS.boris, 'Borya', () => undefined);
  });

  it('a rename to the name that the user already has changes nothing', async () => {
    expect(await renameUser(service.database, USERS.boris, 'Borya', () => undefined)).toBe(0);
  });

  it('a rename of a user who does not exist returns undefined', async () => {
    expect(await renameUser(service.database, 999, 'x', () => undefined)).toBeUndefined();
  });
});
