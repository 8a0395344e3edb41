import { describe, expect, it } from '@jest/globals';
import type { Server } from '@ugc/local-stack/server';
import { serviceProcess } from '@ugc/local-stack/service-process';
import { join } from 'node:path';
import { freePorts } from '../../support/cluster/cluster-servers.ts';
import { startCluster, type Cluster, lastLogLine, processOf } from '../../support/cluster/cluster.ts';
import type { Point } from '../../support/failpoints/failpoints.ts';
import { rounds, long, rows } from '../../support/jest/long.ts';
import { forAllTests } from '../../support/jest/for-all-tests.ts';
import { countOutbox } from '../../support/database/outbox.ts';
import { expectNothingLost } from '../../support/cluster/oracle.ts';
import { insertItems } from '../../support/database/insert-items.ts';
import { until } from '../../support/jest/until.ts';
import { Uploads } from '../../support/cluster/uploads.ts';

const cluster = forAllTests(() => startCluster({ indexers: 2, failpoints: true }));
const uploads = new Uploads();

describe('no change is lost when an indexer is killed', () => {
  const POINTS: Point[] = ['worker.after_bulk', 'worker.after_read', 'worker.before_bulk', 'worker.after_acknowledge'];

  it.each(rows(2, POINTS))('at the failpoint %s of its worker', async (point) => {
    for (const round of rounds()) {
      cluster.failpoints.order(point);
      await uploads.sendMany(cluster.client, `${point} ${round}`, 3);
      const stopped = processOf(cluster, await cluster.failpoints.reached(point)).server;
      await stopped.kill();
      await stopped.start();
    }
    await expectNothingLost(cluster, uploads);
  });

  it('repeatedly while it indexes a backlog', async () => {
    await insertItems(cluster.database, { count: 500, prefix: 'backlog' });
    for (const _ of rounds()) {
      await untilFewer(cluster);
      for (const indexer of cluster.indexers) await indexer.kill();
      await Promise.all(cluster.indexers.map((indexer) => indexer.start()));
    }
    await expectNothingLost(cluster, uploads);
  });
});

it('an indexer that is stopped during a batch finishes the batch', async () => {
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

describe('an indexer that continues after a long pause does not overwrite newer revisions', () => {
  it('of an item that was edited during the pause', async () => {
    const id = await cluster.client.upload({ name: 'before the pause' });
    await pauseWith(id, () => cluster.client.send('PATCH', `/api/content/${id}`, { name: 'after the pause' }));
    expect(await cluster.client.search('"before the pause"')).toEqual([]);
    expect(await cluster.client.search('"after the pause"')).toEqual(['after the pause']);
    await expectNothingLost(cluster, uploads);
  });

  it('of an item that was deleted during the pause, even after Elasticsearch has forgotten the deletion', async () => {
    await cluster.elasticsearch.indices.putSettings({ index: cluster.alias, settings: { index: { gc_deletes: '1s' } } });
    const id = await cluster.client.upload({ name: 'deleted in the pause' });
    await pauseWith(id, async () => {
      await cluster.client.send('DELETE', `/api/content/${id}`);
      await cluster.indexed();
      await untilDeletionsAreForgotten();
    });
    expect(await cluster.client.search('"deleted in the pause"')).toEqual([]);
    await expectNothingLost(cluster, uploads);
  });

  it('of an item that two indexers write because the event loop of one was blocked for longer than its job lock', async () => {
    cluster.failpoints.order('worker.before_bulk', { then: 'block' });
    await uploads.sendMany(cluster.client, 'blocked', 3);
    await cluster.failpoints.reached('worker.before_bulk');
    await until('another indexer has indexed them', async () => (await countOutbox(cluster.database)) === 0);
    cluster.failpoints.release('worker.before_bulk');
    await expectNothingLost(cluster, uploads);
  });
});

long.it('indexers whose clocks differ by hours do not overwrite newer revisions', async () => {
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

/**
 * Suspends an indexer before it writes the item, lets the other indexer index a newer change, and resumes the first.
 */
async function pauseWith(id: number, change: () => Promise<unknown>): Promise<void> {
  await cluster.indexed();
  cluster.failpoints.order('worker.before_bulk');
  await cluster.client.send('PATCH', `/api/content/${id}`, { description: 'held by the suspended indexer' });
  const suspended = processOf(cluster, await cluster.failpoints.reached('worker.before_bulk')).server;
  suspended.signal('SIGSTOP');
  await change();
  await cluster.indexed();
  const changed = await versionOf(id);
  cluster.failpoints.order('worker.after_bulk');
  cluster.failpoints.release('worker.before_bulk');
  suspended.signal('SIGCONT');
  expect(processOf(cluster, await cluster.failpoints.reached('worker.after_bulk')).server).toBe(suspended);
  expect(await versionOf(id)).toBe(changed);
  cluster.failpoints.release('worker.after_bulk');
  await cluster.indexed();
}

/** Waits until Elasticsearch accepts an older version of a document that is deleted now. */
async function untilDeletionsAreForgotten(): Promise<void> {
  const { elasticsearch } = cluster;
  const probe = (version: number) => ({ index: cluster.alias, id: 'probe', version, version_type: 'external' as const });
  await elasticsearch.index({ ...probe(2), document: {} });
  await elasticsearch.delete(probe(3));
  await until('the deletion is forgotten', async () => {
    await elasticsearch.indices.refresh({ index: cluster.alias });
    return elasticsearch.index({ ...probe(1), document: {} }).then(
      () => true,
      () => false,
    );
  });
  await elasticsearch.delete(probe(4));
}

async function versionOf(id: number): Promise<number | undefined> {
  const document = await cluster.elasticsearch.get({ index: cluster.alias, id: String(id) });
  return document._version;
}

async function untilFewer({ database }: Cluster): Promise<void> {
  const pending = (): Promise<number> => countOutbox(database);
  const before = await pending();
  await until('the backlog shrinks', async () => (await pending()) < before || before === 0);
}

function twoIndexers(): [Server, Server] {
  return cluster.indexers as [Server, Server];
}

function indexerWithClock(port: number, aheadMs: number): Server {
  const clock = {
    NODE_OPTIONS: `--import=${new URL('../../support/cluster/shifted-clock.js', import.meta.url)}`,
    CLOCK_AHEAD_MS: String(aheadMs),
  };
  return serviceProcess({
    name: 'Indexer',
    main: 'services/indexer/src/main.ts',
    dataDir: join(cluster.dataDir, `indexer-${aheadMs}`),
    port,
    env: { ...cluster.env, ...clock, INDEXER_PORT: String(port) },
  });
}
