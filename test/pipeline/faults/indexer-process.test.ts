import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Server } from '@ugc/local-stack/server';
import { serviceProcess } from '@ugc/local-stack/service-process';
import { join } from 'node:path';
import { freePorts } from '../../support/cluster-servers.ts';
import { startCluster, type Cluster } from '../../support/cluster.ts';
import type { Point } from '../../support/failpoints/failpoints.ts';
import { rounds } from '../../support/fault-repeats.ts';
import { lastLogLine } from '../../support/last-log-line.ts';
import { countOutbox } from '../../support/outbox.ts';
import { expectNothingLost } from '../../support/oracle.ts';
import { insertItems } from '../../support/insert-items.ts';
import { until } from '../../support/until.ts';
import { Uploads } from '../../support/uploads.ts';

/** Longer than it takes to find that a job has lost its worker, and to hand it out again. */
const BLOCKED_MS = 25_000;

let cluster: Cluster;
const uploads = new Uploads();
beforeAll(async () => {
  cluster = await startCluster({ indexers: 2, failpoints: true });
});
afterAll(() => cluster.stop());

describe('nothing is lost when an indexer is killed', () => {
  it.each<Point>(['worker.after_read', 'worker.before_bulk', 'worker.after_bulk', 'worker.after_acknowledge'])('at %s', async (point) => {
    for (const round of rounds()) {
      cluster.failpoints.order(point);
      await uploads.sendMany(cluster.client, `${point} ${round}`, 3);
      const stopped = processOf(await cluster.failpoints.reached(point));
      await stopped.kill();
      await stopped.start();
    }
    await expectNothingLost(cluster, uploads);
  });

  it('again and again while a backlog drains', async () => {
    await insertItems(cluster.database, { count: 500, prefix: 'backlog' });
    for (const _ of rounds()) {
      await untilFewer(cluster);
      for (const indexer of cluster.indexers) await indexer.kill();
      await Promise.all(cluster.indexers.map((indexer) => indexer.start()));
    }
    await expectNothingLost(cluster, uploads);
  });
});

it('an indexer that is stopped in the middle of a batch finishes it', async () => {
  const [indexer, other] = twoIndexers();
  await other.stop();
  cluster.failpoints.order('worker.before_bulk');
  await uploads.sendMany(cluster.client, 'under way', 1);
  await cluster.failpoints.reached('worker.before_bulk');
  const stopped = indexer.stop();
  cluster.failpoints.release('worker.before_bulk');
  await stopped;
  expect(await countOutbox(cluster.database)).toBe(0);
  expect(lastLogLine(cluster.indexerLogs[0])).toMatchObject({ msg: 'stopped', code: 0 });
  await Promise.all(cluster.indexers.map((server) => server.start()));
  await expectNothingLost(cluster, uploads);
});

describe('an indexer that comes back from a long pause shows no older state', () => {
  it('of an item that was edited meanwhile', async () => {
    const id = await cluster.client.upload({ name: 'before the pause' });
    await pauseWith(id, () => cluster.client.send('PATCH', `/api/content/${id}`, { name: 'after the pause' }));
    expect(await cluster.client.search('"before the pause"')).toEqual([]);
    expect(await cluster.client.search('"after the pause"')).toEqual(['after the pause']);
    await expectNothingLost(cluster, uploads);
  });

  it('of an item that was deleted meanwhile, also when Elasticsearch has forgotten deletions', async () => {
    await cluster.elasticsearch.indices.putSettings({ index: alias(), settings: { index: { gc_deletes: '1s' } } });
    const id = await cluster.client.upload({ name: 'deleted in the pause' });
    await pauseWith(id, () => cluster.client.send('DELETE', `/api/content/${id}`));
    expect(await cluster.client.search('"deleted in the pause"')).toEqual([]);
    await expectNothingLost(cluster, uploads);
  });

  it('of an item that two indexers write because the event loop of one stood still for longer than its lock', async () => {
    cluster.failpoints.order('worker.before_bulk', { then: 'block', blockMs: BLOCKED_MS });
    await uploads.sendMany(cluster.client, 'blocked', 3);
    const blockedUntil = await cluster.failpoints.reached('worker.before_bulk').then(() => performance.now() + BLOCKED_MS);
    await until('another indexer has written them', async () => (await countOutbox(cluster.database)) === 0);
    expect(performance.now()).toBeLessThan(blockedUntil);
    await expectNothingLost(cluster, uploads);
  });
});

it('indexers whose clocks are hours apart write no older state over a newer one', async () => {
  await Promise.all(cluster.indexers.map((indexer) => indexer.stop()));
  const [port = 0, otherPort = 0] = await freePorts(2);
  const shifted = [indexerWithClock(port, 3_600_000), indexerWithClock(otherPort, -3_600_000)];
  await Promise.all(shifted.map((indexer) => indexer.start()));
  const id = await cluster.client.upload({ name: 'timeless' });
  for (let version = 2; version <= 40; version++) {
    await cluster.client.send('PATCH', `/api/content/${id}`, { name: `timeless, ${version}` });
    await uploads.sendMany(cluster.client, `meanwhile ${version}`, 1);
  }
  await cluster.indexed();
  expect(await cluster.client.search('timeless')).toEqual(['timeless, 40']);
  await expectNothingLost({ ...cluster, indexers: shifted }, uploads);
  await Promise.all(shifted.map((indexer) => indexer.stop()));
  await Promise.all(cluster.indexers.map((indexer) => indexer.start()));
});

/** One indexer is frozen with an item in its hands; the other indexes a change of it; then the first goes on. */
async function pauseWith(id: number, change: () => Promise<unknown>): Promise<void> {
  await cluster.indexed();
  cluster.failpoints.order('worker.before_bulk');
  await cluster.client.send('PATCH', `/api/content/${id}`, { description: 'in the hands of the frozen indexer' });
  const frozen = processOf(await cluster.failpoints.reached('worker.before_bulk'));
  frozen.signal('SIGSTOP');
  await change();
  await cluster.indexed();
  const changed = await versionOf(id);
  cluster.failpoints.order('worker.after_bulk');
  cluster.failpoints.release('worker.before_bulk');
  const gcDeletesPassedAt = Date.now() + 2_500;
  await until('deletions are forgotten', () => Date.now() > gcDeletesPassedAt);
  frozen.signal('SIGCONT');
  expect(processOf(await cluster.failpoints.reached('worker.after_bulk'))).toBe(frozen);
  expect(await versionOf(id)).toBe(changed);
  cluster.failpoints.release('worker.after_bulk');
  await cluster.indexed();
}

async function versionOf(id: number): Promise<number | undefined> {
  const document = await cluster.elasticsearch.get({ index: alias(), id: String(id) });
  return document._version;
}

async function untilFewer({ database }: Cluster): Promise<void> {
  const pending = (): Promise<number> => countOutbox(database);
  const before = await pending();
  await until('the backlog shrinks', async () => (await pending()) < before || before === 0);
}

function processOf(pid: number): Server {
  const server = cluster.indexers.find((indexer) => indexer.pid() === pid);
  if (!server) throw new Error(`process ${pid} is no indexer`);
  return server;
}

function twoIndexers(): [Server, Server] {
  return cluster.indexers as [Server, Server];
}

function alias(): string {
  return cluster.env['CONTENT_ALIAS'] ?? '';
}

function indexerWithClock(port: number, aheadMs: number): Server {
  const clock = { NODE_OPTIONS: `--import=${new URL('../../support/shifted-clock.js', import.meta.url)}`, CLOCK_AHEAD_MS: String(aheadMs) };
  return serviceProcess({
    name: 'Indexer',
    main: 'services/indexer/src/main.ts',
    dataDir: join(cluster.dataDir, `indexer-${aheadMs}`),
    port,
    env: { ...cluster.env, ...clock, INDEXER_PORT: String(port) },
  });
}
