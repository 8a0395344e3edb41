import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Server } from '@ugc/local-stack/server';
import { startCluster, type Cluster } from '../../support/cluster/cluster.ts';
import { expectNothingLost } from '../../support/cluster/oracle.ts';
import { Uploads } from '../../support/cluster/uploads.ts';
import { forAllTests } from '../../support/jest/for-all-tests.ts';
import { rows } from '../../support/jest/long.ts';
import { until } from '../../support/jest/until.ts';
import { indexCommand } from '../../support/processes/command.ts';
import { startSentinels } from '../../support/servers/sentinels.ts';

const sentinels = forAllTests(() => startSentinels());
let cluster: Cluster;
const uploads = new Uploads();
beforeAll(async () => {
  const counting = { RATE_LIMIT_WRITES_PER_MINUTE: '1000000', RATE_LIMIT_LISTS_PER_MINUTE: '1000000' };
  cluster = await startCluster({}, { ...sentinels.env, ...counting });
});
afterAll(() => cluster.stop());

async function untilReplaced(server: Server): Promise<void> {
  await until('another server is the primary', async () => (await sentinels.primary()) !== server);
}

async function expectIndexed(name: string): Promise<void> {
  await uploads.send(cluster.client, name);
  await cluster.indexed();
  expect(await cluster.client.search(`"${name}"`)).toHaveLength(1);
}

describe('with Redis behind sentinels', () => {
  it('uploads are indexed, and index:status finds the queue', async () => {
    await expectIndexed('watched');
    expect((await indexCommand(cluster.env, 'index-status', '--json')).json[0]).toMatchObject({
      queue: { waiting: 0 },
      queueProblem: null,
    });
    expect((await cluster.client.get('/health/ready')).body).toMatchObject({ status: 'ready', stores: { redis: 'up' } });
  });

  const FAULTS: [string, (server: Server) => Promise<void> | void, (server: Server) => Promise<void> | void][] = [
    ['killed', (server) => server.kill(), (server) => server.start()],
    // Afterwards, it still takes itself for the primary for a moment.
    ['suspended by SIGSTOP', (server) => server.signal('SIGSTOP'), (server) => server.signal('SIGCONT')],
  ];
  it.each(rows(1, FAULTS))(
    'when the primary is %s, uploads succeed, are indexed by the new one, and nothing is lost',
    async (name, begin, end) => {
      const former = await sentinels.primary();
      await begin(former);
      await uploads.sendDuring(cluster.client, 'during the failover', untilReplaced(former));
      await uploads.sendMany(cluster.client, 'after the failover', 20);
      await cluster.indexed();
      await end(former);
      await expectIndexed(`both servers again, after one was ${name}`);
      expect(uploads.statusesBut(201)).toEqual([]);
      await expectNothingLost(cluster, uploads);
    },
  );

  it('uploads are indexed while one of the sentinels is down, also by a new indexer', async () => {
    await sentinels.sentinels[0]?.kill();
    await cluster.indexer.stop();
    await cluster.indexer.start();
    await expectIndexed('without one sentinel');
    await sentinels.sentinels[0]?.start();
  });
});
