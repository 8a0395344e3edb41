/** @store-timeout-factor 2 */
import { describe, expect, it } from '@jest/globals';
import { supervise } from '@ugc/local-stack/supervise';
import { findTarget } from '@ugc/shared/indices/targets';
import { hostname } from 'node:os';
import { Client } from '../../support/http/client.ts';
import { indexCommand } from '../../support/processes/command.ts';
import { startCluster, lastLogLine, processOf } from '../../support/cluster/cluster.ts';
import type { Point } from '../../support/failpoints/failpoints.ts';
import { rounds, long } from '../../support/jest/long.ts';
import { forAllTests } from '../../support/jest/for-all-tests.ts';
import { expectNothingLost } from '../../support/cluster/oracle.ts';
import { storeContent } from '../../support/database/stored-content.ts';
import { until } from '../../support/jest/until.ts';
import { Uploads } from '../../support/cluster/uploads.ts';

const cluster = forAllTests(() => startCluster({ apis: 2, indexers: 2, failpoints: true }));
const uploads = new Uploads();

describe('after concurrent changes of an item', () => {
  it('the index contains the newest revision and has never gone back to an older one', async () => {
    const id = await cluster.client.upload({ name: 'much edited' });
    await cluster.indexed();
    const watch = watchVersions(id);
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, n) => clientOf(n).send('PATCH', `/api/content/${id}`, { name: `much edited, by ${n}` })),
    );
    await cluster.indexed();
    const versions = await watch.stop();
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    // Some of this many concurrent requests may get 429 or 503.
    const edits = responses.filter(({ status }) => status === 200).length;
    expect(edits).toBeGreaterThan(0);
    expect(versions.at(-1)).toBe(1 + edits);
    const stored = await cluster.client.get(`/api/content/${id}`);
    expect(await cluster.client.search('"much edited"')).toEqual([stored.body.name]);
    await expectNothingLost(cluster, uploads);
  });

  it('an item that was edited, rated and deleted concurrently stays deleted', async () => {
    for (const round of rounds()) {
      const ids = await Promise.all(Array.from({ length: 10 }, (_, n) => clientOf(n).upload({ name: `raced ${round} ${n}` })));
      await Promise.all(ids.flatMap((id, n) => race(id, n)));
      expect(await Promise.all(ids.map(async (id) => (await cluster.client.get(`/api/content/${id}`)).status))).toEqual(ids.map(() => 404));
    }
    await expectNothingLost(cluster, uploads);
    expect(await cluster.client.search('raced')).toEqual([]);
  });
});

describe('an item that crashes every indexer', () => {
  it('is isolated, so that the other items of its batch are indexed', async () => {
    const supervisor = supervise(cluster.indexers, () => undefined);
    const [crashing = 0] = await nextId();
    cluster.failpoints.order('worker.before_bulk', { then: 'crash', doing: `\\"_id\\":\\"${crashing}\\"` });
    const ids = await storeContent(
      cluster.database,
      Array.from({ length: 10 }, (_, n) => ({ name: `in the batch ${n}` })),
    );
    expect(ids[0]).toBe(crashing);
    await until('only the crashing item is pending', async () => (await pendingIds()).join() === String(crashing));
    await until('the other items are searchable', async () => (await cluster.client.search('"in the batch"')).length === 9);
    const { json } = await indexCommand(cluster.env, 'index-status', '--json');
    expect(json).toMatchObject([{ isolated: [crashing] }]);
    cluster.failpoints.forget('worker.before_bulk');
    await supervisor.stop();
    await Promise.all(cluster.indexers.map((indexer) => indexer.start()));
    await expectNothingLost(cluster, uploads);
  });

  long.it('does not prevent that a lost index is recreated with all other items', async () => {
    const ids = await storeContent(
      cluster.database,
      Array.from({ length: 300 }, (_, n) => ({ name: `before the loss ${n}` })),
    );
    await cluster.indexed();
    const crashing = ids[150] ?? 0;
    const supervisor = supervise(cluster.indexers, () => undefined);
    cluster.failpoints.order('worker.before_bulk', { then: 'crash', doing: `\\"_id\\":\\"${crashing}\\"` });
    const lost = await findTarget(cluster, 'search');
    await cluster.elasticsearch.indices.delete({ index: lost?.indexName ?? '' });
    await until('the other items are searchable', async () => {
      await releaseLocksOfCrashed();
      return (await cluster.client.list({ prompt: '"before the loss"' })).body.totalElements === 299;
    });
    expect(await pendingIds()).toEqual([crashing]);
    cluster.failpoints.forget('worker.before_bulk');
    await supervisor.stop();
    await Promise.all(cluster.indexers.map((indexer) => indexer.start()));
    await expectNothingLost(cluster, uploads);
  });
});

it('a process that makes no progress exits by itself, and its claimed changes are indexed', async () => {
  const points: Point[] = ['relay.after_claim', 'worker.before_bulk'];
  for (const point of points) cluster.failpoints.order(point);
  await uploads.sendMany(cluster.client, 'held by a hung process', 50);
  const hung = await Promise.all(points.map(async (point) => processOf(cluster, await cluster.failpoints.reached(point))));
  await until('both processes have ended', () => hung.every(({ server }) => server.pid() === undefined));
  for (const { log } of hung) expect(lastLogLine(log)).toMatchObject({ code: 1 });
  await Promise.all(hung.map(({ server }) => server.start()));
  await expectNothingLost(cluster, uploads);
});

/** Otherwise each crash delays the next attempt until the lock has expired. */
async function releaseLocksOfCrashed(): Promise<void> {
  const running = cluster.indexers.map((indexer) => `${hostname()}:${indexer.pid()}`);
  await cluster.database.query('delete from index_lock where holder <> all($1)', [running]);
}

function race(id: number, n: number): Promise<unknown>[] {
  const path = `/api/content/${id}`;
  return [
    clientOf(n).send('PATCH', path, { name: 'raced, edited' }),
    clientOf(n + 1).send('PUT', `${path}/rating`, { score: 3 }, 2),
    until('it is deleted', async () => [204, 404].includes((await clientOf(n).send('DELETE', path)).status)),
    clientOf(n + 1).send('PATCH', path, { description: 'raced, edited again' }),
  ];
}

function watchVersions(id: number): { stop(): Promise<number[]> } {
  const seen: number[] = [];
  const stopping = new AbortController();
  const poll = async (): Promise<void> => {
    while (!stopping.signal.aborted) seen.push(await versionOf(id));
  };
  const done = poll();
  const stop = async (): Promise<number[]> => {
    stopping.abort();
    await done;
    return [...seen, await versionOf(id)];
  };
  return { stop };
}

async function versionOf(id: number): Promise<number> {
  const { _version: version } = await cluster.elasticsearch.get({ index: cluster.alias, id: String(id) });
  return version ?? 0;
}

async function nextId(): Promise<number[]> {
  const rows = await cluster.database.query<{ next: number }>(`select nextval('content_content_id_seq') + 1 as next`);
  return rows.map((row) => row.next);
}

async function pendingIds(): Promise<number[]> {
  const rows = await cluster.database.query<{ contentId: number }>('select content_id from index_outbox');
  return rows.map((row) => row.contentId);
}

function clientOf(n: number): Client {
  return new Client(cluster.apis[n % cluster.apis.length]?.url ?? '');
}
