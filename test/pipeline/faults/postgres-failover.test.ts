/** @store-timeout-factor 3 */
import { afterAll, describe, expect, it } from '@jest/globals';
import { startCluster } from '../../support/cluster/cluster.ts';
import { expectNothingLost } from '../../support/cluster/oracle.ts';
import { fieldsOf, Uploads } from '../../support/cluster/uploads.ts';
import { png } from '../../support/database/images.ts';
import { expectProblem } from '../../support/http/problems.ts';
import { problemsOnPage, readStatus, valueOf } from '../../support/http/operations-status.ts';
import { forAllTests } from '../../support/jest/for-all-tests.ts';
import { until } from '../../support/jest/until.ts';
import { startAnotherApi } from '../../support/processes/api-alone.ts';
import { failureOf, indexCommand } from '../../support/processes/command.ts';
import { openStores, untilIndexed } from '../../support/processes/service.ts';
import { startReplication } from '../../support/servers/standby.ts';

/** API and indexers know one address, as this test does. */
async function startReplicated() {
  const replication = await startReplication();
  const cluster = await startCluster({ indexers: 2 }, { DATABASE_URL: replication.proxy.url });
  const stop = async (): Promise<void> => {
    await cluster.stop();
    await replication.stop();
  };
  return { ...replication, ...cluster, stop };
}

type System = Awaited<ReturnType<typeof startReplicated>>;

/**
 * Suspends the primary while uploads are sent, and promotes the standby after some of them have failed.
 * @returns the uploads, and the system with connections of this test to the new primary
 */
async function failOver(system: System): Promise<{ uploads: Uploads; promoted: System }> {
  const uploads = new Uploads();
  const switching = async (): Promise<void> => {
    await until('uploads are under way', () => uploads.accepted.size > 5);
    system.primary.signal('SIGSTOP');
    await until('uploads have failed', () => uploads.notStored.length + uploads.unknown.length > 1);
    await system.failOver();
    const before = uploads.accepted.size;
    await until('uploads succeed again', () => uploads.accepted.size > before + 5);
  };
  await uploads.sendDuring(system.client, 'during a failover', switching());
  expect(uploads.statusesBut(201, 503)).toEqual([]);
  const stores = openStores({ ...system.env, DATABASE_URL: system.standby.url });
  const stopSystem = system.stop;
  const stop = async (): Promise<void> => {
    await stores.close();
    await stopSystem();
  };
  return { uploads, promoted: { ...system, ...stores, indexed: () => untilIndexed(stores, system.env), stop } };
}

describe('with a synchronous standby of PostgreSQL', () => {
  let reading: Awaited<ReturnType<typeof startAnotherApi>> | undefined;
  // Before the servers that it uses.
  afterAll(() => reading?.stop());
  const system = forAllTests(startReplicated);

  it('an API on the standby answers items, lists and pictures, refuses changes and says that it is read-only', async () => {
    const id = await system.client.upload({ ...fieldsOf('read from the standby'), thumbnail: png().toString('base64') });
    await system.indexed();
    await system.caughtUp();
    reading = await startAnotherApi({ ...system.env, DATABASE_URL: system.standby.url });
    const { client, operationsUrl } = reading;
    const path = `/api/content/${id}`;
    expect((await client.get(path)).body).toMatchObject({ name: 'read from the standby' });
    expect((await client.get(`${path}/thumbnail`)).status).toBe(200);
    expect((await client.get(`${path}/index-status`)).body).toMatchObject({ status: 'indexed' });
    // The primary's processes renew their record of the index, which is seen after a while.
    await until('the record of the index is renewed', async () =>
      String(await problemsOnPage({ operationsUrl })).includes('which is running'),
    );
    // A later list asks again whose index it is.
    const beat = async () => String((await system.database.query('select beat from index_control'))[0]?.['beat']);
    const before = await beat();
    await until('it is renewed again', async () => (await beat()) !== before);
    expect(await client.search('standby')).toEqual(['read from the standby']);
    for (const refused of [
      await client.tryUpload(fieldsOf('not stored')),
      await client.send('PATCH', path, { name: 'not stored' }),
      await client.send('DELETE', path),
      await client.send('PUT', `${path}/rating`, { score: 5 }, 2),
      await client.send('POST', `${path}/downloads`),
    ])
      expect(expectProblem(refused, 503).detail).toContain('Nothing was stored');
    const { status, stores } = (await client.get('/health/ready')).body;
    expect([status, stores.postgres]).toEqual(['degraded', 'read_only']);
  });

  it('that is promoted when the primary hangs, every acknowledged upload is found, and no process is restarted', async () => {
    await system.synchronous();
    const pids = () => [...system.apis, ...system.indexers].map((each) => each.pid());
    const before = pids();
    const { uploads, promoted } = await failOver(system);
    system.stop = promoted.stop;
    await expectNothingLost(promoted, uploads);
    expect(pids()).toEqual(before);
  });
});

describe('with a standby of PostgreSQL that lags', () => {
  const system = forAllTests(startReplicated);
  const lost = new Map<number, string>();
  let edited: number;
  let deleted: number;
  let promoted: System;
  const audit = () => indexCommand(system.env, 'index-audit', '--json');

  it('that is promoted when the primary hangs, index:audit names each acknowledged change that PostgreSQL has lost', async () => {
    edited = await system.client.upload(fieldsOf('edited'));
    deleted = await system.client.upload(fieldsOf('deleted'));
    await system.indexed();
    await system.caughtUp();
    system.stream.silence();
    const after = new Uploads();
    await after.sendMany(system.client, 'lost', 3);
    for (const [id, name] of after.accepted) lost.set(id, name);
    expect(lost.size).toBe(3);
    for (const version of [2, 3]) await system.client.send('PATCH', `/api/content/${edited}`, { version });
    await system.client.send('DELETE', `/api/content/${deleted}`);
    await system.indexed();
    ({ promoted } = await failOver(system));
    system.stop = promoted.stop;
    await promoted.indexed();
    const found = (await audit()).json as { contentId: number; difference: string; withheld?: true }[];
    const idsOf = (kind: string) => found.filter(({ difference }) => difference === kind).map(({ contentId }) => contentId);
    // What was sent before the failover is lost too.
    expect(idsOf('orphaned')).toEqual(expect.arrayContaining([...lost.keys()]));
    expect(idsOf('ahead')).toEqual([edited, deleted]);
    expect(found.find(({ contentId }) => contentId === deleted)).toMatchObject({ withheld: true });
    for (const id of lost.keys()) expect((await system.client.get(`/api/content/${id}`)).status).toBe(404);
  });

  it('and index:audit --repair corrects the index, and operators are told until then', async () => {
    expect(failureOf(await indexCommand(system.env, 'index-audit', '--repair'))).toBe('');
    expect(valueOf((await readStatus(system.operationsUrl)).comparison).ahead).toMatchObject({ items: 2 });
    await expectNothingLost(promoted);
    expect(await audit()).toMatchObject({ code: 0, json: [{ ahead: 0, orphaned: 0, missing: 0, stale: 0 }] });
    expect(valueOf((await readStatus(system.operationsUrl)).comparison).ahead).toBeNull();
    for (const name of lost.values()) expect(await system.client.search(`"${name}"`)).toEqual([]);
  });
});
