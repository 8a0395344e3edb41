/** @store-timeout-factor 3 */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { migrate } from '@ugc/shared/postgres/migrate';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startCluster } from '../../support/cluster/cluster.ts';
import { requestEveryEndpoint, fieldsOf, Uploads } from '../../support/cluster/uploads.ts';
import { rounds, long } from '../../support/jest/long.ts';
import { forAllTests } from '../../support/jest/for-all-tests.ts';
import { expectNothingLost } from '../../support/cluster/oracle.ts';
import { indexNames } from '../../support/indices/index-deps.ts';
import { expectProblem } from '../../support/http/problems.ts';
import { beginBackup, migrationsWith } from '../../support/database/made-up-migration.ts';
import { countContent } from '../../support/database/stored-content.ts';
import { indexCommand, startApiCommand } from '../../support/processes/command.ts';
import { startAnotherApi } from '../../support/processes/api-alone.ts';
import type { Client } from '../../support/http/client.ts';
import { readStatus } from '../../support/http/operations-status.ts';
import { scrape } from '../../support/http/scrape.ts';
import { startPooler } from '../../support/servers/pooler.ts';
import { takeAllConnections } from '../../support/database/sessions.ts';
import { until } from '../../support/jest/until.ts';

const MAX_CONNECTIONS = 40;

const cluster = forAllTests(() => startCluster({ postgres: { maxConnections: MAX_CONNECTIONS }, proxied: ['postgres'], failpoints: true }));
let uploads: Uploads;
beforeEach(() => void (uploads = new Uploads()));

describe('an upload is stored completely or not at all, and stored uploads are indexed, when PostgreSQL', () => {
  long.it('is stopped and restarted during uploads', async () => {
    for (const round of rounds()) await uploads.sendDuring(cluster.client, `stopped ${round}`, restart('stop'));
    await expectRecovery();
  });

  it('is killed and restarted during uploads', async () => {
    for (const round of rounds()) await uploads.sendDuring(cluster.client, `killed ${round}`, restart('kill'));
    await expectRecovery();
  });

  long.it('is shut down as by pg_ctl stop -m immediate and restarted during uploads', async () => {
    for (const round of rounds()) await uploads.sendDuring(cluster.client, `immediate ${round}`, restart('immediate'));
    await expectRecovery();
  });

  long.it('resets every connection of its clients', async () => {
    cluster.proxies.postgres?.reset();
    await uploads.sendMany(cluster.client, 'reset', 20);
    expect(uploads.accepted.size).toBe(0);
    cluster.proxies.postgres?.restore();
    await expectRecovery();
  });

  it('terminates the connection between insert and commit', async () => {
    for (const round of rounds()) {
      cluster.failpoints.order('api.after_insert');
      const response = uploads.sendWithKey(cluster.client, `terminated ${round}`);
      await cluster.failpoints.reached('api.after_insert');
      await terminate(`application_name like 'ugc-api%' and state = 'idle in transaction'`);
      cluster.failpoints.release('api.after_insert');
      expect((await response)?.status).toBe(503);
    }
    expect(uploads.accepted.size).toBe(0);
    await expectRecovery();
  });

  it('is killed while the indexer waits for the response to a bulk request', async () => {
    cluster.failpoints.order('worker.after_bulk');
    await uploads.sendMany(cluster.client, 'after bulk', 3);
    await cluster.failpoints.reached('worker.after_bulk');
    await cluster.postgres?.kill();
    cluster.failpoints.release('worker.after_bulk');
    await cluster.postgres?.start();
    await expectRecovery();
  });
});

it('an upload without a response to its commit returns 503, and is stored once when it is repeated with its Idempotency-Key', async () => {
  for (const round of rounds()) {
    await cluster.indexed();
    const upload = () =>
      cluster.client.send('POST', '/content', { creatorId: 1, version: 1, ...fieldsOf(`commit ${round}`) }, 1, {
        'idempotency-key': `commit-${round}`,
      });
    cluster.proxies.postgres?.cutInsteadOf('COMMIT', 'updated_at');
    expect(expectProblem(await upload(), 503).detail).toContain('It is unknown whether the change was stored');
    const repeated = await upload();
    expect(repeated.status).toBe(201);
    uploads.accepted.set(repeated.body.content_id, `commit ${round}`);
    expect(await cluster.database.query('select 1 from content where name = $1', [`commit ${round}`])).toHaveLength(1);
  }
  await expectRecovery();
});

it('an upload without Idempotency-Key that gets no response of PostgreSQL is answered with result-unknown', async () => {
  await cluster.indexed();
  // A column of the response to the statement.
  cluster.proxies.postgres?.cutInsteadOf('updated_at');
  expectProblem((await uploads.send(cluster.client, 'without a response'))!, 503, 'result-unknown');
  await expectRecovery();
});

describe('every request gets a response that says what happened while PostgreSQL', () => {
  it('is suspended by SIGSTOP and does not respond', async () => {
    const id = await cluster.client.upload(fieldsOf('read while it hangs'));
    cluster.postgres?.signal('SIGSTOP');
    await expectResponses(id);
    cluster.postgres?.signal('SIGCONT');
    await expectRecovery();
  });

  it('is suspended, also to the uploads that wait for the memory of others: they end with the first of their user', async () => {
    const data = 'x'.repeat(200_000);
    // One of them has memory at a time.
    const another = await startAnotherApi({
      ...cluster.env,
      LOG_LEVEL: 'silent',
      BODY_MAX_BYTES: '600000',
      UPLOADS_IN_FLIGHT_MAX_BYTES: '1200000',
      DATABASE_POOL_SIZE: '16',
    });
    await another.client.upload();
    cluster.postgres?.signal('SIGSTOP');
    const beganAt = performance.now();
    const durations: number[] = [];
    const upload = async (): Promise<number> => {
      const { status } = await another.client.tryUpload({ data });
      durations.push(performance.now() - beganAt);
      return status;
    };
    const statuses = await Promise.all(Array.from({ length: 8 }, upload)).finally(() => cluster.postgres?.signal('SIGCONT'));
    await another.stop();
    expect(statuses).toEqual(statuses.map(() => 503));
    expect(Math.max(...durations)).toBeLessThan(1.8 * Math.min(...durations));
    await expectRecovery();
  });

  long.it('is behind a network that drops all packets', async () => {
    const id = await cluster.client.upload(fieldsOf('read while it is away'));
    cluster.proxies.postgres?.silence();
    await expectResponses(id);
    cluster.proxies.postgres?.restore();
    await expectRecovery();
  });

  it('is down after it was killed', async () => {
    const id = await cluster.client.upload(fieldsOf('read while it is down'));
    await cluster.postgres?.kill();
    await expectResponses(id);
    await expectNotSent(id);
    await cluster.postgres?.start();
    await expectRecovery();
  });

  it('has no free connections left', async () => {
    const id = await cluster.client.upload(fieldsOf('read while it is full'));
    const release = await takeAllConnections(cluster.env['DATABASE_URL']);
    await expectResponses(id);
    await expectNotSent(id);
    await release();
    await expectRecovery();
  });
});

it('while PostgreSQL is read-only, reads succeed and readiness says so, and connections that stay read-only are not kept', async () => {
  const id = await cluster.client.upload(fieldsOf('read while it is read-only'));
  await setReadOnly('on');
  await uploads.sendUntil(cluster.client, 503, 'not stored');
  expect((await cluster.client.get(`/api/content/${id}`)).status).toBe(200);
  expect((await cluster.client.list()).status).toBe(200);
  await until('readiness says so', async () => {
    const { status, stores } = (await cluster.client.get('/health/ready')).body;
    return status === 'degraded' && stores.postgres === 'read_only';
  });
  await setReadOnly('off');
  await expectRecovery();
});

describe('while a synchronous standby of PostgreSQL is gone', () => {
  const GONE = /standby of PostgreSQL .* does not respond \(synchronous_standby_names is "gone"\): start it/;
  const problem = async () => (await readStatus(cluster.operationsUrl)).postgresProblem;
  const refusal = /A standby of the database does not respond.* Nothing was stored/;

  async function refused(client: Client, name: string): Promise<boolean> {
    return refusal.test((await uploads.send(client, name))?.body?.detail);
  }

  async function onServer(...statements: string[]): Promise<pg.Client> {
    const client = new pg.Client(cluster.env['DATABASE_URL'] ?? '');
    client.on('error', () => undefined);
    await client.connect();
    for (const statement of statements) await client.query(statement);
    return client;
  }

  async function setStandby(change: string): Promise<void> {
    await (await onServer(`alter system ${change}`, 'select pg_reload_conf()')).end();
  }

  const sessionsThatWait = async () => (await cluster.database.query(`select 1 from pg_stat_activity where wait_event = 'SyncRep'`)).length;

  it('changes are refused at once after a few, everything says so, and they go on when it is back or not waited for', async () => {
    const id = await cluster.client.upload(fieldsOf('read without a standby'));
    await setStandby(`set synchronous_standby_names = 'gone'`);
    await until('changes are refused', () => refused(cluster.client, `waits ${uploads.durationsMs.length}`));
    const waiting = await sessionsThatWait();
    for (let n = 0; n < 60; n++) expect(await refused(cluster.client, `refused ${n}`)).toBe(true);
    // Each of two processes may have begun what takes part in no refusal, such as a lock.
    expect(await sessionsThatWait()).toBeLessThan(waiting + 10);
    expect((await cluster.client.get(`/api/content/${id}`)).status).toBe(200);
    expect((await cluster.client.list()).status).toBe(200);
    await until('readiness says so', async () => {
      const { status, stores } = (await cluster.client.get('/health/ready')).body;
      return status === 'degraded' && stores.postgres === 'refuses';
    });
    expect(await problem()).toMatch(GONE);
    expect((await scrape(cluster.operationsUrl)).get('ugc_postgres_stores_changes')).toBe(0);
    expect((await indexCommand(cluster.env, 'index-status', '--json')).json).toEqual([
      expect.objectContaining({ postgresProblem: expect.stringMatching(GONE) }),
    ]);
    await setStandby('reset synchronous_standby_names');
    await until('no problem is left', async () => (await problem()) === null);
    await expectRecovery();
  });

  it('one commit that waits is no problem, and several are, also behind a connection pooler', async () => {
    const pooler = await startPooler(cluster.env['DATABASE_URL'] ?? '', 4);
    const { client, stop } = await startAnotherApi({ ...cluster.env, DATABASE_URL: pooler.url, PORT: '0', OPERATIONS_PORT: '0' });
    const everybodyElse = `pid <> pg_backend_pid() and datname = current_database()`;
    const local = await onServer(`alter database ugc set synchronous_commit = local`);
    await local.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${everybodyElse}`);
    await setStandby(`set synchronous_standby_names = 'gone'`);
    const wait = async () =>
      void (await onServer('set synchronous_commit = on')).query('create temporary table waits ()').catch(() => undefined);
    await wait();
    await until('a commit waits', async () => (await sessionsThatWait()) === 1);
    await uploads.sendUntil(client, 201, 'beside a commit that waits');
    expect(await problem()).toBeNull();
    for (let n = 0; n < 2; n++) await wait();
    await until('there is a problem', async () => GONE.test((await problem()) ?? ''));
    await until('its readiness asks', async () => (await client.get('/health/ready')).body.stores.postgres === 'refuses');
    expect(await refused(client, 'behind a pooler')).toBe(true);
    await setStandby('reset synchronous_standby_names');
    await local.query('alter database ugc reset synchronous_commit');
    await local.end();
    await stop();
    await pooler.close();
    await expectRecovery();
  });
});

it('a migration beside a long transaction delays nothing while it waits, and is applied when the transaction ends', async () => {
  const url = cluster.env['DATABASE_URL'] ?? '';
  const lines: string[] = [];
  const columns = 'alter table content add column made_up text; alter table users add column made_up text;';
  const dir = await migrationsWith('900_made_up.sql', columns);
  const backup = await beginBackup(url);
  const migrating = migrate(url, { dir, report: (line) => void lines.push(line) });
  await until('it waits', () => lines.length > 0);
  await uploads.sendUntil(cluster.client, 201, 'beside a migration');
  expect((await cluster.client.get(`/api/content/${[...uploads.accepted.keys()][0]}`)).status).toBe(200);
  await backup.query('commit');
  await backup.end();
  expect(await migrating).toEqual(['900_made_up']);
  await expectRecovery();
});

it('an import that is killed, and continued while PostgreSQL is killed and restarted, stores each line once', async () => {
  const [count, file] = [10_000, join(await mkdtemp(join(tmpdir(), 'import-')), 'lines.ndjson')];
  const line = (n: number) => JSON.stringify({ externalId: `fault/${n}`, creatorId: 1, version: 1, ...fieldsOf(`imported ${n}`) });
  await writeFile(file, Array.from({ length: count }, (_, n) => line(n)).join('\n'));
  const begin = () => startApiCommand(cluster.env, 'import', file, '--no-wait', '--json');
  const stored = async () => (await cluster.database.query('select 1 from external_item')).length;
  const killed = begin();
  await until('it stores lines', async () => (await stored()) > 0);
  killed.process.kill('SIGKILL');
  expect(await killed.result).toMatchObject({ code: -1 });
  const before = await stored();
  expect(before).toBeLessThan(count);
  const continued = begin();
  await until('it stores more lines', async () => (await stored()) > before);
  await cluster.postgres?.kill();
  await cluster.postgres?.start();
  const { code, json } = await continued.result;
  expect({ code, json }).toMatchObject({ code: 0, json: [{ rejected: 0, skipped: 0 }] });
  expect(await stored()).toBe(count);
  expect(await cluster.database.query(`select 1 from content where name like 'imported %'`)).toHaveLength(count);
  await expectRecovery();
});

it('an index is filled completely although its lock was lost', async () => {
  await uploads.sendMany(cluster.client, 'filled again', 10);
  await cluster.indexed();
  cluster.failpoints.order('worker.before_bulk');
  for (const index of await indexNames(cluster)) await cluster.elasticsearch.indices.delete({ index });
  await cluster.failpoints.reached('worker.before_bulk');
  await cluster.database.query('delete from index_lock');
  cluster.failpoints.release('worker.before_bulk');
  await until('lists return 200', async () => (await cluster.client.list()).status === 200);
  await expectRecovery();
  expect(await indexNames(cluster)).toHaveLength(1);
});

async function expectResponses(id: number): Promise<void> {
  // Until then, a change may be sent over a connection that is lost unnoticed.
  await until('readiness says so', async () => {
    const { status, stores } = (await cluster.client.get('/health/ready')).body;
    return status === 'unavailable' && stores.postgres === 'down';
  });
  const stored = uploads.accepted.size;
  const { read, written, counted } = await requestEveryEndpoint(cluster.client, id);
  for (const response of read) expectProblem(response, 500);
  for (const response of written) expect(expectProblem(response, 503).detail).toContain('Nothing was stored');
  // One statement that commits itself: sent over a connection that is lost unnoticed, its outcome is unknown.
  for (const response of counted) expect(expectProblem(response, 503).detail).toMatch(/Nothing was stored|It is unknown/);
  expect((await cluster.client.list()).status).toBe(200);
  uploads.notStored.push('not stored');
  expect(uploads.accepted.size).toBe(stored);
}

/** An upload without Idempotency-Key and a download, which are one statement, never get a connection. */
async function expectNotSent(id: number): Promise<void> {
  expectProblem(await cluster.client.tryUpload(fieldsOf('not stored')), 503, 'store-unavailable');
  expectProblem(await cluster.client.send('POST', `/api/content/${id}/downloads`), 503, 'store-unavailable');
}

async function restart(how: 'stop' | 'kill' | 'immediate'): Promise<void> {
  await until('uploads are under way', () => uploads.accepted.size > 0);
  if (how === 'immediate') await stopImmediately();
  else await cluster.postgres?.[how]();
  const failed = uploads.notStored.length + uploads.unknown.length;
  await until('an upload has failed', () => uploads.notStored.length + uploads.unknown.length > failed);
  await cluster.postgres?.start();
}

async function stopImmediately(): Promise<void> {
  cluster.postgres?.signal('SIGQUIT');
  await until('PostgreSQL has ended', () => cluster.postgres?.pid() === undefined);
}

async function setReadOnly(value: 'on' | 'off'): Promise<void> {
  const client = new pg.Client(cluster.env['DATABASE_URL'] ?? '');
  await client.connect();
  await client.query(`set default_transaction_read_only = off`);
  await client.query(`alter system set default_transaction_read_only = ${value}`);
  await client.query('select pg_reload_conf()');
  await client.end();
}

async function terminate(where: string): Promise<void> {
  const ended = await cluster.database.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${where}`);
  expect(ended.length).toBeGreaterThan(0);
}

async function expectRecovery(): Promise<void> {
  await uploads.sendUntil(cluster.client, 201, 'recovered');
  expect(uploads.statusesBut(201, 503)).toEqual([]);
  expect(await countContent(cluster.database)).toBeGreaterThanOrEqual(uploads.accepted.size);
  await expectNothingLost(cluster, uploads);
}
