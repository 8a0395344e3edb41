import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createComparison } from '@ugc/indexer/comparison/compare-continuously';
import { readComparison } from '@ugc/shared/indices/comparison';
import { findTarget } from '@ugc/shared/indices/targets';
import { chmod, cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startCluster, type Cluster } from '../support/cluster/cluster.ts';
import { failureOf, indexCommand } from '../support/processes/command.ts';
import { dataFolder } from '../support/servers/data-folder.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { long } from '../support/jest/long.ts';
import { expectNothingLost } from '../support/cluster/oracle.ts';
import { backUpDatabase, restoreDatabase } from '../support/database/copies.ts';
import { readStatus, valueOf } from '../support/http/operations-status.ts';
import { scrape } from '../support/http/scrape.ts';
import { until } from '../support/jest/until.ts';

let cluster: Cluster;
beforeAll(async () => {
  const snapshots = await dataFolder('snapshots-');
  await chmod(snapshots, 0o777);
  cluster = await startCluster({ redis: true, elasticsearch: { 'path.repo': snapshots } });
  await cluster.elasticsearch.snapshot.createRepository({
    name: 'backup',
    repository: { type: 'fs', settings: { location: snapshots } },
  });
});
afterAll(() => cluster.stop());

const WAIT = { prefer: 'wait=60' };
const itemPath = (id: number): string => `/api/content/${id}`;
const edit = async (id: number, name: string, headers = {}): Promise<void> => {
  await until(`item ${id} is edited`, async () => (await cluster.client.send('PATCH', itemPath(id), { name }, 1, headers)).status === 200);
};
const editOften = async (id: number, name: string): Promise<void> => {
  for (let n = 1; n <= 3; n++) await edit(id, `${name} ${n}`);
};
const remove = async (id: number): Promise<void> => {
  await until(`item ${id} is deleted`, async () => (await cluster.client.send('DELETE', itemPath(id))).status < 300);
};
async function listed(): Promise<Record<number, string>> {
  await cluster.elasticsearch.indices.refresh({ index: cluster.env['CONTENT_ALIAS'] ?? '' });
  const { body } = await cluster.client.list({ size: 100 });
  return Object.fromEntries(body.content.map((item) => [item.contentId, item.name]));
}
const readAhead = async () => valueOf((await readStatus(cluster.operationsUrl)).comparison).ahead;

async function restorePostgres(stopped: boolean): Promise<void> {
  const services = [...cluster.apis, ...cluster.indexers];
  if (stopped) await Promise.all(services.map((service) => service.stop()));
  await restoreDatabase(cluster.env['DATABASE_URL'] ?? '');
  if (stopped) await Promise.all(services.map((service) => service.start()));
  await until('the API is ready', async () => (await cluster.client.get('/health/ready')).body?.status === 'ready');
}

long.describe.each([
  ['are running', false],
  ['are stopped', true],
])('after PostgreSQL is restored to a point before the index while API and indexer %s', (_, stopped) => {
  let ids: Record<'edited' | 'deleted' | 'restored' | 'untouched', number>;
  let reused: number;
  beforeAll(async () => {
    const upload = (name: string) => cluster.client.upload({ name });
    ids = {
      edited: await upload('edited'),
      deleted: await upload('deleted'),
      restored: await upload('restored'),
      untouched: await upload('untouched'),
    };
    await cluster.indexed();
    await backUpDatabase(cluster.env['DATABASE_URL'] ?? '');
    await until('the API is ready', async () => (await cluster.client.get('/health/ready')).body?.status === 'ready');
    for (const id of [ids.edited, ids.deleted, ids.untouched]) await editOften(id, 'lost');
    await remove(ids.restored);
    reused = await cluster.client.upload({ name: 'lost upload' });
    await editOften(reused, 'lost upload');
    await cluster.indexed();
    await restorePostgres(stopped);
  });

  it('an edit that waited for the index is shown', async () => {
    const name = stopped ? 'edited after the start' : 'edited while running';
    await edit(ids.edited, name, WAIT);
    expect(await cluster.client.search(`"${name}"`)).toEqual([name]);
  });

  it('a deleted item is not listed', async () => {
    await remove(ids.deleted);
    await cluster.indexed();
    expect(await listed()).not.toHaveProperty(String(ids.deleted));
  });

  it('an upload that gets the id of a lost one is shown with its own content', async () => {
    const { body } = await cluster.client.tryUpload({ name: 'mine' }, 1, WAIT);
    expect(body.content_id).toBe(reused);
    expect((await listed())[reused]).toBe('mine');
  });

  it('index:status, GET /status and the metrics say that the index was ahead', async () => {
    const { stdout } = await indexCommand(cluster.env, 'index-status');
    expect(stdout).toMatch(/^ahead +\d+ items .*restore of PostgreSQL; run npx pnpm index:audit --repair$/m);
    expect(await readAhead()).toMatchObject({ items: 3, firstSeenAt: expect.any(String) });
    expect((await scrape(cluster.operationsUrl)).get('ugc_index_ahead_items')).toBe(3);
  });

  it('index:audit --repair corrects all other items, and nothing is lost', async () => {
    expect(failureOf(await indexCommand(cluster.env, 'index-audit', '--repair'))).toBe('');
    await cluster.indexed();
    const items = await listed();
    expect([items[ids.restored], items[ids.untouched]]).toEqual(['restored', 'untouched']);
    await expectNothingLost(cluster);
    await indexCommand(cluster.env, 'index-audit', '--repair');
    await until('nothing is ahead', async () => (await readAhead()) === null);
  });
});

const MODERATOR = { sub: '2', scope: 'content:moderate' };
const restoreIndex = async (index: string, snapshot: string): Promise<void> => {
  await cluster.elasticsearch.indices.close({ index });
  await cluster.elasticsearch.snapshot.restore({ repository: 'backup', snapshot, indices: index, wait_for_completion: true });
};
const searchedIndex = async (): Promise<string> => (await findTarget(cluster, 'search'))?.indexName ?? '';
const readRepair = async () => {
  const [row] = await cluster.database.query<{ repair: string | null; restoredAt: Date | null; learnt: boolean }>(
    `select repair, restored_at, history is not null as learnt from index_target where role = 'search'`,
  );
  return row;
};

describe('after a snapshot is restored over the closed index, which keeps its UUID', () => {
  let ids: Record<'edited' | 'deleted' | 'hidden' | 'purged' | 'later', number>;
  let seen: string[];
  let strays = 0;
  beforeAll(async () => {
    const { client, database, elasticsearch } = cluster;
    const upload = (name: string) => client.upload({ name });
    ids = {
      edited: await upload('before'),
      deleted: await upload('deleted secret'),
      hidden: await upload('hidden secret'),
      purged: await upload('purged secret'),
      later: 0,
    };
    await cluster.indexed();
    const index = await searchedIndex();
    await elasticsearch.snapshot.create({ repository: 'backup', snapshot: 'one', indices: index, wait_for_completion: true });
    ids.later = await upload('later');
    await edit(ids.edited, 'after');
    for (const id of [ids.deleted, ids.purged]) await remove(id);
    expect((await client.send('PUT', `${itemPath(ids.hidden)}/hidden`, { reason: 'spam' }, MODERATOR)).status).toBeLessThan(300);
    await cluster.indexed();
    // As the purge leaves it a week later.
    await elasticsearch.delete({ index, id: String(ids.purged), version: 1_000, version_type: 'external_gte' });
    await database.query('delete from content where content_id = $1', [ids.purged]);
    await until('the history is learnt', async () => (await readRepair())?.learnt === true);

    // What lists show from the restore on, as somebody sees it who reloads all the time.
    await listed();
    seen = [];
    const reading = new AbortController();
    const reader = (async () => {
      while (!reading.signal.aborted) {
        const { status, body } = await client.list({ size: 100 });
        if (status === 200) seen.push(...body.content.map(({ name }) => name));
      }
    })();
    await restoreIndex(index, 'one');
    await until('the restore is noticed', async () => (await readRepair())?.restoredAt !== null);
    await until('lists are answered', async () => (await client.list()).status === 200);
    await until('the repair has ended', async () => (await readRepair())?.repair === null);
    await cluster.indexed();
    reading.abort();
    await reader;
  });

  it('no list shows an item that was deleted, purged or hidden since the snapshot', () => {
    expect(new Set(seen.filter((name) => name.endsWith('secret')))).toEqual(new Set());
  });

  it('all other items are repaired at once, and the index is not thrown away', async () => {
    const items = await listed();
    expect([items[ids.edited], items[ids.later]]).toEqual(['after', 'later']);
    expect(items).not.toHaveProperty(String(ids.hidden));
    await expectNothingLost(cluster);
  });

  it('index:status, GET /status and the metrics tell when it was noticed', async () => {
    const { stdout } = await indexCommand(cluster.env, 'index-status');
    expect(stdout).toMatch(/^restored +the searched index was restored or has lost writes, noticed at .*Z; it is repaired$/m);
    const target = valueOf((await readStatus(cluster.operationsUrl)).targets).list.find(({ role }) => role === 'search');
    expect(target).toMatchObject({ restoredAt: expect.any(String), repair: null });
    const restoredAt = (await scrape(cluster.operationsUrl)).get('ugc_index_restored_timestamp_seconds') ?? 0;
    expect(Math.abs(Date.now() / 1_000 - restoredAt)).toBeLessThan(3_600);
  });

  it('lists are answered again also if nothing was deleted or hidden since the snapshot', async () => {
    const { client, elasticsearch } = cluster;
    const index = await searchedIndex();
    await elasticsearch.snapshot.create({ repository: 'backup', snapshot: 'calm', indices: index, wait_for_completion: true });
    await edit(ids.edited, 'calm');
    await cluster.indexed();
    const before = (await readRepair())?.restoredAt;
    await restoreIndex(index, 'calm');
    await until('the restore is repaired', async () => {
      const row = await readRepair();
      return String(row?.restoredAt) !== String(before) && row?.repair === null;
    });
    await until('lists are answered', async () => (await client.list()).status === 200);
    await expectNothingLost(cluster);
  });

  it.each([
    ['without a content ID', () => ({ deleted: true })],
    ['with the content ID of an item', () => ({ contentId: ids.edited, deleted: true })],
  ])('lists are answered again also if another program has written a document %s into the index', async (_, document) => {
    const { client, elasticsearch } = cluster;
    const [index, snapshot] = [await searchedIndex(), `stray-${++strays}`];
    await elasticsearch.index({ index, id: 'stray', document: document(), refresh: true });
    await elasticsearch.snapshot.create({ repository: 'backup', snapshot, indices: index, wait_for_completion: true });
    const before = (await readRepair())?.restoredAt;
    await restoreIndex(index, snapshot);
    await until('the restore is repaired', async () => {
      const row = await readRepair();
      return String(row?.restoredAt) !== String(before) && row?.repair === null;
    });
    await until('lists are answered', async () => (await client.list()).status === 200);
    await elasticsearch.delete({ index, id: 'stray', refresh: true });
    await expectNothingLost(cluster);
  });

  it('while no indexer runs, lists are refused, and the service is not ready and says why', async () => {
    const { client } = cluster;
    const index = await searchedIndex();
    const before = (await readRepair())?.restoredAt;
    await Promise.all(cluster.indexers.map((indexer) => indexer.stop()));
    await restoreIndex(index, 'one');
    await until('the shard is started', async () => (await cluster.elasticsearch.count({ index })).count > 0);
    await until('the API says so', async () =>
      String(valueOf((await readStatus(cluster.operationsUrl)).targets).problems).includes('was restored'),
    );
    expect((await client.list()).status).toBe(500);
    expect((await client.get('/health/ready')).body?.status).toBe('degraded');
    await Promise.all(cluster.indexers.map((indexer) => indexer.start()));
    await until('the restore is repaired', async () => {
      const row = await readRepair();
      return String(row?.restoredAt) !== String(before) && row?.repair === null;
    });
    await until('the API is ready', async () => (await client.get('/health/ready')).body?.status === 'ready');
    await expectNothingLost(cluster);
  });
});

long.it('after Elasticsearch has lost writes and does not say so, the comparison repairs what nobody changes', async () => {
  const { client, database, elasticsearch } = cluster;
  const [edited, deleted] = [await client.upload({ name: 'old' }), await client.upload({ name: 'lost deletion' })];
  await cluster.indexed();
  const index = await searchedIndex();
  await elasticsearch.snapshot.create({ repository: 'backup', snapshot: 'two', indices: index, wait_for_completion: true });
  const later = await client.upload({ name: 'newest' });
  await edit(edited, 'new');
  await remove(deleted);
  await cluster.indexed();
  await Promise.all(cluster.indexers.map((indexer) => indexer.stop()));
  await restoreIndex(index, 'two');
  // As of an index whose history was never learnt.
  await database.query('update index_target set history = null');
  await Promise.all(cluster.indexers.map((indexer) => indexer.start()));
  await until('the index is searched', async () => (await client.list()).status === 200);
  expect(await listed()).toMatchObject({ [edited]: 'old', [deleted]: 'lost deletion' });

  const pass = createComparison(indexDeps(cluster), { rangeSize: 100, roundMs: () => 0, firstAfterMs: 0 });
  await until('a round is complete', async () => (await pass(), (await readComparison(database)).lastRound !== null));
  await expectNothingLost(cluster);
  const items = await listed();
  expect([items[edited], items[deleted], items[later]]).toEqual(['new', undefined, 'newest']);
  const { stdout } = await indexCommand(cluster.env, 'index-status');
  expect(stdout).toMatch(/^compared +all items by .*: 1 missing, 2 stale; 3 repaired$/m);
  await until(
    'the metric has it',
    async () => (await scrape(cluster.operationsUrl)).get('ugc_index_comparison_differences{kind="stale"}') === 2,
  );
});

long.it('after Redis is restored to a point before PostgreSQL, its old jobs are harmless and no change is lost', async () => {
  const { client, redis } = cluster;
  const backup = join(cluster.dataDir, 'redis-backup');
  const [indexer] = cluster.indexers;
  await indexer?.stop();
  const ids = [await client.upload({ name: 'first' }), await client.upload({ name: 'second' })];
  await until(
    'the changes are claimed',
    async () => (await cluster.database.query('select from index_outbox where job_id is null')).length === 0,
  );
  await redis?.stop();
  await cp(cluster.redisData, backup, { recursive: true });
  await redis?.start();
  await indexer?.start();
  await cluster.indexed();
  await edit(ids[0] ?? 0, 'edited');
  await remove(ids[1] ?? 0);
  await cluster.indexed();
  await redis?.kill();
  const waiting = await client.upload({ name: 'pending' });
  await rm(cluster.redisData, { recursive: true });
  await cp(backup, cluster.redisData, { recursive: true });
  await redis?.start();
  await expectNothingLost(cluster);
  expect(await listed()).toMatchObject({ [ids[0] ?? 0]: 'edited', [waiting]: 'pending' });
  expect(await listed()).not.toHaveProperty(String(ids[1]));
});
