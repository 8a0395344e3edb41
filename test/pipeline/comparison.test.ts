import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createComparison } from '@ugc/indexer/comparison/compare-continuously';
import type { IndexDeps } from '@ugc/indexer/targets/target-indices';
import { createLog } from '@ugc/shared/process/log';
import { maintainIndex } from '@ugc/indexer/maintain-index';
import { readComparison } from '@ugc/shared/indices/comparison';
import { pauseIndexing, resumeIndexing } from '@ugc/shared/indices/index-control';
import { findTarget } from '@ugc/shared/indices/targets';
import { indexCommand } from '../support/processes/command.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { insertItems } from '../support/database/insert-items.ts';
import { countOutbox } from '../support/database/outbox.ts';
import { expectNothingLost } from '../support/cluster/oracle.ts';
import { openStores, startService } from '../support/processes/service.ts';
import { until } from '../support/jest/until.ts';
import { readStatus, valueOf } from '../support/http/operations-status.ts';
import { scrape } from '../support/http/scrape.ts';

const RANGE = 10;
/** Every range is due at once. */
const FAST = { rangeSize: RANGE, roundMs: () => 0, firstAfterMs: 0 };

const service = forAllTests(() => startService());
let ids: number[];
let index: string;
beforeAll(async () => {
  ids = await insertItems(service.database, { count: 55 });
  await service.indexed();
  index = (await findTarget(service, 'search'))?.indexName ?? '';
});
beforeEach(async () => {
  await service.indexed();
  await service.database.query(
    `update index_comparison set started_at = null, compared_to = 0, last_round = null, claimed_by = null, claimed_until = null, due_at = now()`,
  );
});

/** Compares until a round that begins now is complete. @returns its result */
async function compareAll(rangeSize = RANGE, changed: Partial<IndexDeps> = {}) {
  const pass = createComparison({ ...indexDeps(service), ...changed }, { ...FAST, rangeSize });
  await until('a round is complete', async () => {
    await pass();
    return (await readComparison(service.database)).lastRound !== null;
  });
  return (await readComparison(service.database)).lastRound;
}

const write = (contentId: number, version: number) =>
  service.elasticsearch.index({
    index,
    id: String(contentId),
    version,
    version_type: 'external_gte',
    document: { contentId, name: 'wrong', deleted: false },
  });
/** Refreshes, as the comparison searches the index. */
const remove = (contentId: number) => service.elasticsearch.delete({ index, id: String(contentId), refresh: true });
const NONE = { missing: 0, stale: 0, ahead: 0, orphaned: 0, dropped: 0 };

describe('a comparison', () => {
  it('finds and repairs missing, stale, ahead and orphaned items in any range', async () => {
    const { database, elasticsearch } = service;
    const [missing = 0, stale = 0, ahead = 0] = [ids[0], ids[22], ids[33]];
    await remove(missing);
    await database.query('update content set revision = 7 where content_id = $1', [stale]);
    await write(ahead, 9);
    // More orphans than a range has, before and after the last item.
    const orphans = Array.from({ length: 2 * RANGE + 5 }, (_, n) => 1_000_000 + n);
    for (const id of orphans) await write(id, 3);
    await elasticsearch.indices.refresh({ index });

    expect(await compareAll()).toMatchObject({
      differences: { missing: 1, stale: 1, ahead: 1, orphaned: orphans.length, dropped: 0 },
      repaired: 3 + orphans.length,
    });
    await expectNothingLost(service);
  });

  it('finds no difference in a deleted item that has no tombstone', async () => {
    const id = await service.client.upload();
    await service.client.send('DELETE', `/api/content/${id}`);
    await service.indexed();
    await remove(id);
    expect(await compareAll()).toMatchObject({ differences: NONE });
    await service.database.query('delete from content where content_id = $1', [id]);
  });

  it('finds nothing in a correct index, also while items change', async () => {
    const stop = new AbortController();
    const traffic = (async () => {
      for (let n = 0; !stop.signal.aborted; n++) {
        await service.client.upload({ name: `during the comparison ${n}` });
        await service.client.send('PATCH', `/api/content/${ids[1 + (n % 5)]}`, { name: `changed ${n}` });
      }
    })();
    try {
      for (let round = 0; round < 3; round++) {
        await service.database.query('update index_comparison set last_round = null, claimed_by = null, claimed_until = null');
        expect(await compareAll(500)).toMatchObject({ differences: NONE, repaired: 0 });
      }
    } finally {
      stop.abort();
      await traffic;
    }
    await expectNothingLost(service);
  });

  it.each([
    ['with the content ID of an item', () => ({ contentId: ids[3] }), RANGE],
    ['without a content ID', () => ({ name: 'by hand' }), RANGE],
    ['without a content ID, which fills the last range', () => ({ name: 'by hand' }), 1],
  ])('reports a document %s that no part of this service wrote, and compares the others', async (_, document, rangeSize) => {
    await service.elasticsearch.index({ index, id: 'stray', document: document(), refresh: true });
    await remove(ids[5] ?? 0);
    const logged: string[] = [];
    const log = createLog('test', 'error', { write: (line) => void logged.push(line) });
    expect(await compareAll(rangeSize, { log })).toMatchObject({ differences: { ...NONE, missing: 1 } });
    expect(logged).toEqual([expect.stringContaining('"documentIds":["stray"]')]);
    await service.elasticsearch.delete({ index, id: 'stray', refresh: true });
  });

  it('continues where another indexer stopped, whose claim has expired', async () => {
    await service.database.query(
      `update index_comparison set started_at = now(), items = 55, compared_to = $1, differences = '{}', claimed_by = gen_random_uuid(), claimed_until = now() + interval '1 min'`,
      [ids[30]],
    );
    for (const id of [ids[2] ?? 0, ids[50] ?? 0]) await remove(id);
    await createComparison(indexDeps(service), FAST)();
    expect(await readComparison(service.database)).toMatchObject({ currentRound: { comparedTo: ids[30] }, lastRound: null });

    await service.database.query(`update index_comparison set claimed_until = now() - interval '1 s'`);
    expect(await compareAll()).toMatchObject({ differences: { ...NONE, missing: 1 } });
    expect(await compareAgain()).toMatchObject({ differences: { ...NONE, missing: 1 } });
  });

  const compareAgain = async () => {
    await service.indexed();
    await service.database.query('update index_comparison set last_round = null, claimed_by = null, claimed_until = null');
    return compareAll();
  };

  it('continues after the clock of PostgreSQL was set back', async () => {
    await service.database.query(
      `update index_comparison set due_at = now() + interval '9 days', claimed_by = gen_random_uuid(), claimed_until = now() + interval '9 days'`,
    );
    expect(await compareAll()).toMatchObject({ differences: NONE });
  });

  it('spreads its ranges evenly over the round, also after a delay', async () => {
    const pass = createComparison(indexDeps(service), { ...FAST, roundMs: (items) => items * 10_000 });
    await service.database.query(`update index_comparison set due_at = now() - interval '5 days'`);
    await pass();
    await pass();
    // One range was compared. After the delay the next one is at most 10 s earlier than its share of the round: 100 s.
    expect((await readComparison(service.database)).currentRound?.comparedTo).toBe(ids[RANGE - 1]);
    const [row] = await service.database.query<{ seconds: number }>(
      `select extract(epoch from due_at - started_at)::float8 as seconds from index_comparison`,
    );
    expect(row?.seconds).toBeGreaterThanOrEqual(90);
  });

  it('releases its claim when a store fails, so that another indexer continues at once', async () => {
    const { close, ...stores } = openStores({ ...service.env, ELASTICSEARCH_URL: 'http://127.0.0.1:1' });
    await createComparison(indexDeps({ ...stores, env: service.env }), FAST)();
    expect(await service.database.query('select claimed_by from index_comparison')).toEqual([{ claimedBy: null }]);
    await close();
  });
});

it('an indexer compares continuously, and not while indexing is paused', async () => {
  await pauseIndexing(service.database);
  let passes = 0;
  const maintenance = maintainIndex(indexDeps(service), () => void (passes += 1), FAST);
  await until('some passes have ended', () => passes > 1);
  expect(await readComparison(service.database)).toMatchObject({ currentRound: null, lastRound: null });
  await resumeIndexing(service.database);
  await until('a round is complete', async () => (await readComparison(service.database)).lastRound !== null);
  await maintenance.stop();
});

it('index:status, GET /status and the metrics show the last round', async () => {
  await remove(ids[7] ?? 0);
  await compareAll();
  const { stdout } = await indexCommand(service.env, 'index-status');
  expect(stdout).toMatch(/^compared +all items by [\d-]+T.*: 1 missing; 1 repaired$/m);
  const lastRound = { differences: { ...NONE, missing: 1 }, repaired: 1, completedAt: expect.any(String) };
  const { json } = await indexCommand(service.env, 'index-status', '--json');
  expect(json).toEqual([
    expect.objectContaining({ comparison: { ahead: null, currentRound: null, lastRound: expect.objectContaining(lastRound) } }),
  ]);
  const readLast = async () => valueOf((await readStatus(service.operationsUrl)).comparison).lastRound;
  await until('the status has the round', async () => (await readLast())?.differences.missing === 1);
  const metric = 'ugc_index_comparison_differences{kind="missing"}';
  await until('the metric has it', async () => (await scrape(service.operationsUrl)).get(metric) === 1);
});

it('a dropped change is found and not repaired', async () => {
  const id = ids[9] ?? 0;
  await service.database.query('update content set revision = revision + 1 where content_id = $1', [id]);
  await service.database.query(
    `insert into index_dropped (content_id, revision, reason) select content_id, revision, 'no' from content where content_id = $1`,
    [id],
  );
  expect(await compareAll()).toMatchObject({ differences: { ...NONE, dropped: 1 }, repaired: 0 });
  expect(await countOutbox(service.database)).toBe(0);
});
