import { describe, expect, it } from '@jest/globals';
import { startCluster } from '../support/cluster/cluster.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { long } from '../support/jest/long.ts';
import { expectNothingLost } from '../support/cluster/oracle.ts';
import { CLAIMED, countOutbox } from '../support/database/outbox.ts';
import { withRedis } from '../support/servers/redis-admin.ts';
import { Uploads } from '../support/cluster/uploads.ts';
import { until } from '../support/jest/until.ts';

describe('an upload with response 201 becomes searchable', () => {
  const cluster = forAllTests(() => startCluster({ redis: true }));
  const uploads = new Uploads();

  it('when Redis is killed during uploads and restarted', async () => {
    await uploads.sendMany(cluster.client, 'before', 5);
    await cluster.redis?.kill();
    await uploads.sendMany(cluster.client, 'during', 20);
    expect([uploads.notStored, uploads.unknown]).toEqual([[], []]);
    await cluster.redis?.start();
    await expectNothingLost(cluster, uploads);
  });

  it('when Redis loses all data while jobs are waiting', async () => {
    await cluster.indexer.kill();
    await uploads.sendMany(cluster.client, 'wiped', 20);
    await until('all changes are claimed', async () => (await countOutbox(cluster.database, `not ${CLAIMED}`)) === 0);
    await cluster.redis?.kill();
    await cluster.redis?.start();
    await withRedis(cluster.redis?.url, (redis) => redis.flushall());
    await cluster.indexer.start();
    await expectNothingLost(cluster, uploads);
  });

  long.it('when the indexer is killed during a batch and restarted', async () => {
    const uploading = uploads.sendMany(cluster.client, 'batch', 150);
    await until('the indexer is active', async () => (await countOutbox(cluster.database, CLAIMED)) > 0);
    await cluster.indexer.kill();
    await uploading;
    expect([uploads.notStored, uploads.unknown]).toEqual([[], []]);
    await cluster.indexer.start();
    await expectNothingLost(cluster, uploads);
  });

  long.it('when the API is killed repeatedly during uploads and claims', async () => {
    for (let round = 0; round < 3; round++) {
      const end = Promise.withResolvers<void>();
      const uploading = uploads.sendDuring(cluster.client, `round ${round}`, end.promise);
      await until('something was uploaded', () => [...uploads.accepted.values()].some((name) => name.startsWith(`round ${round} `)));
      await cluster.api.kill();
      end.resolve();
      await uploading;
      await cluster.api.start();
    }
    await expectNothingLost(cluster, uploads);
  });
});
