/** @store-timeout-factor 3 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findTarget } from '@ugc/shared/indices/targets';
import { failureOf, startIndexCommand, indexCommand } from '../support/processes/command.ts';
import { startCluster, type Cluster } from '../support/cluster/cluster.ts';
import { createEnvironment, type Environment } from '../support/processes/environment.ts';
import { long, rows } from '../support/jest/long.ts';
import { expectNothingLost } from '../support/cluster/oracle.ts';
import { PGBOUNCER, startPgBouncer } from '../support/servers/pgbouncer.ts';
import { startPooler } from '../support/servers/pooler.ts';
import { openStores, type Stores } from '../support/processes/service.ts';
import { Uploads } from '../support/cluster/uploads.ts';
import { until } from '../support/jest/until.ts';

type Pooled = { url: string; close(): Promise<void> };

/** The long tests run behind PgBouncer too. */
const POOLERS: [string, boolean, (databaseUrl: string) => Promise<Pooled>][] = [
  ['a pooler that gives each transaction another session', true, (url) => startPooler(url, 6)],
  [PGBOUNCER ? 'PgBouncer in transaction mode' : 'PgBouncer (skipped: it is not on this machine)', PGBOUNCER !== undefined, startPgBouncer],
];

for (const [name, isHere, start] of rows(1, POOLERS))
  (isHere ? describe : describe.skip)(`behind ${name}`, () => {
    let direct: Environment;
    let env: Environment;
    let pooler: Pooled;
    let cluster: Cluster;
    let stores: Stores;
    const uploads = new Uploads();
    beforeAll(async () => {
      // The schema is migrated through a direct connection.
      direct = await createEnvironment();
      pooler = await start(direct['DATABASE_URL'] ?? '');
      env = { ...direct, DATABASE_URL: pooler.url };
      cluster = await startCluster({ indexers: 2 }, env);
      stores = openStores(direct);
    });
    afterAll(async () => {
      await cluster.stop();
      await stores.close();
      await pooler.close();
    });

    const searched = async (): Promise<string | undefined> => (await findTarget(stores, 'search'))?.indexName;
    const command = (file: string, ...args: string[]) => indexCommand({ ...env, LOG_LEVEL: 'silent' }, file, ...args);

    it('uploads are stored, indexed and listed', async () => {
      await uploads.sendMany(cluster.client, 'pooled', 20);
      expect(uploads.accepted.size).toBe(20);
      await cluster.indexed();
      expect(await cluster.client.search('"pooled 7"')).toEqual(['pooled 7']);
    });

    it('concurrent requests do not find what the sessions of others have left', async () => {
      await Promise.all(Array.from({ length: 40 }, (_, n) => uploads.send(cluster.client, `at the same time ${n}`)));
      const [id = 0] = uploads.accepted.keys();
      const responses = await Promise.all(Array.from({ length: 40 }, () => cluster.client.get(`/api/content/${id}`)));
      expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
      expect(uploads.statusesBut(201)).toEqual([]);
    });

    it('an index is rebuilt during uploads', async () => {
      const before = await searched();
      expect(failureOf(await uploads.sendDuring(cluster.client, 'during the rebuild', command('index-rebuild')))).toBe('');
      expect(await searched()).not.toBe(before);
    });

    long.it('an index is audited', async () => {
      expect(failureOf(await command('index-audit'))).toBe('');
    });

    long.it('an index is rolled back', async () => {
      const before = await searched();
      expect(failureOf(await command('index-rebuild', '--rollback'))).toBe('');
      expect(await searched()).not.toBe(before);
    });

    long.it('the previous index is removed', async () => {
      expect(failureOf(await command('index-rebuild', '--finish'))).toBe('');
    });

    long.it('indexing can be paused and resumed', async () => {
      expect(failureOf(await command('index-pause', 'pause'))).toBe('');
      await uploads.send(cluster.client, 'while indexing is paused');
      expect(failureOf(await command('index-pause', 'resume'))).toBe('');
      await cluster.indexed();
    });

    long.it('a rebuild that was killed is continued by another process, and nobody is locked out', async () => {
      const before = await searched();
      const { process: rebuild, result } = startIndexCommand(env, 'index-rebuild');
      await until('the rebuild holds the lock', async () => (await stores.database.query('select 1 from index_lock')).length > 0);
      rebuild.kill('SIGKILL');
      expect(await result).toMatchObject({ code: -1 });
      await until('the lock is free', async () => (await command('index-rebuild')).code === 0);
      expect(await searched()).not.toBe(before);
    });

    long.it('a tombstone is purged', async () => {
      const id = await cluster.client.upload({ name: 'to be purged' });
      await cluster.indexed();
      await cluster.client.send('DELETE', `/api/content/${id}`);
      await cluster.indexed();
      await stores.database.query(`update content set deleted_at = now() - interval '8 days' where content_id = $1`, [id]);
      // An indexer purges at its start.
      await cluster.indexers[0]?.stop();
      await cluster.indexers[0]?.start();
      await until(
        'it is purged',
        async () => (await stores.database.query('select 1 from content where content_id = $1', [id])).length === 0,
      );
    });

    it('nothing was lost', () => expectNothingLost(cluster, uploads));
  });
