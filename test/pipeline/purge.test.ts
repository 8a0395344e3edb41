import { afterEach, beforeAll, expect, it } from '@jest/globals';
import { INDEX_LOCK } from '@ugc/shared/indices/index-control';
import { findTarget, retireTargets } from '@ugc/shared/indices/targets';
import { withLock } from '@ugc/shared/postgres/locks';
import { maintainIndex } from '@ugc/indexer/maintain-index';
import { purge } from '@ugc/indexer/purge/purge';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { ensureIndex, rebuildIndex } from '../support/indices/index-lock.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { startService } from '../support/processes/service.ts';
import { until } from '../support/jest/until.ts';

/** Tombstones, or keys, in one slice of a purge. */
const SLICE = 500;

const service = forAllTests(() => startService());
beforeAll(async () => {
  await ensureIndex(indexDeps(service));
});
afterEach(() => until('everything is purged', () => purge(indexDeps(service))));

const insertTombstones = (count: number) =>
  service.database.query(
    `insert into content (creator_id, name, description, data, version, deleted_at)
     select 1, '', '', '', 1, now() - interval '8 days' from generate_series(1, $1::int)`,
    [count],
  );
const insertOldKeys = (count: number) =>
  service.database.query(
    `insert into idempotency_key (user_id, key, request_hash, created_at)
     select 1, 'key ' || n, '', now() - interval '2 days' from generate_series(1, $1::int) n`,
    [count],
  );
const countRows = async (table: 'content' | 'idempotency_key'): Promise<number> => {
  const [row] = await service.database.query<{ count: number }>(`select count(*) from ${table}`);
  return row?.count ?? 0;
};

it('a purge of many tombstones releases the index lock between its slices', async () => {
  await insertTombstones(20 * SLICE);
  let left = 0;
  const purging = purge(indexDeps(service));
  await until('the purge has started', async () => (await countRows('content')) < 20 * SLICE);
  await until('the index lock is free', () => withLock(service.database, INDEX_LOCK, async () => void (left = await countRows('content'))));
  expect(left).toBeGreaterThan(0);
  await purging;
});

it('a purge reports progress after each slice, so that a long purge does not count as stuck', async () => {
  await insertOldKeys(4 * SLICE);
  await insertTombstones(4 * SLICE);
  let slices = 0;
  await until('the purge is complete', () => purge(indexDeps(service), () => void (slices += 1)));
  expect(await countRows('content')).toBe(0);
  expect(await countRows('idempotency_key')).toBe(0);
  expect(slices).toBeGreaterThanOrEqual(8);
});

it('a purge removes the receipts of erasures after 30 days', async () => {
  await service.database.query(
    `insert into erasure_receipt (user_id, completed_at, receipt) select n, now() - n * interval '1 day', '{}' from unnest(array[29, 31]) n`,
  );
  await until('the purge is complete', () => purge(indexDeps(service)));
  expect(await service.database.query('select user_id from erasure_receipt')).toEqual([{ userId: 29 }]);
});

it('the maintenance of indices reports progress during a purge', async () => {
  await insertTombstones(4 * SLICE);
  let reports = 0;
  const maintenance = maintainIndex(indexDeps(service), () => void (reports += 1));
  await until('the tombstones are purged', async () => (await countRows('content')) === 0);
  expect(reports).toBeGreaterThanOrEqual(4);
  await maintenance.stop();
});

it('a tombstone with a pending change is not purged, because its job would write the document again', async () => {
  await insertTombstones(2);
  const [pending] = await service.database.query<{ contentId: number }>(
    `insert into index_outbox (content_id, revision, job_id, claimed_at, due_at, claims)
     select max(content_id), 1, gen_random_uuid(), now() + interval '1 h', 'infinity', 1 from content returning content_id`,
  );
  await until('the other tombstone is purged', () => purge(indexDeps(service)));
  expect(await service.database.query('select content_id from content')).toEqual([pending]);
  await service.database.query('delete from index_outbox');
});

it('tombstones are purged although a retired index refuses all changes', async () => {
  await rebuildIndex(indexDeps(service));
  const { indexName = '' } = (await findTarget(service, 'previous')) ?? {};
  await retireTargets(service.database, [{ indexName, reason: 'for the test' }]);
  await service.elasticsearch.indices.close({ index: indexName });
  await insertTombstones(1);
  await until('the tombstone is purged', () => purge(indexDeps(service)));
  expect(await countRows('content')).toBe(0);
});
