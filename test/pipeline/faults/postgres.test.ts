import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { startCluster, type Cluster } from '../../support/cluster.ts';
import { rounds } from '../../support/fault-repeats.ts';
import { expectNothingLost } from '../../support/oracle.ts';
import { indexNames } from '../../support/index-names.ts';
import { expectProblem } from '../../support/problems.ts';
import { countContent } from '../../support/stored-content.ts';
import { until } from '../../support/until.ts';
import { fieldsOf, Uploads } from '../../support/uploads.ts';

/** What the README promises of every answer while the store is away. */
const ANSWERED_WITHIN_MS = 3_000;
const MAX_CONNECTIONS = 40;

let cluster: Cluster;
let uploads: Uploads;
beforeAll(async () => {
  cluster = await startCluster({ postgres: { maxConnections: MAX_CONNECTIONS }, proxied: ['postgres'], failpoints: true });
});
beforeEach(() => void (uploads = new Uploads()));
afterAll(() => cluster.stop());

describe('an upload is stored whole or not at all, and what is stored is indexed, when PostgreSQL', () => {
  it('is stopped and started during uploads', async () => {
    for (const round of rounds()) await uploads.sendDuring(cluster.client, `stopped ${round}`, restart('stop'));
    await expectMend();
  });

  it('is killed and started during uploads', async () => {
    for (const round of rounds()) await uploads.sendDuring(cluster.client, `killed ${round}`, restart('kill'));
    await expectMend();
  });

  it('is ended at once, as by pg_ctl stop -m immediate, and started during uploads', async () => {
    for (const round of rounds()) await uploads.sendDuring(cluster.client, `ended ${round}`, restart('end'));
    await expectMend();
  });

  it('resets every connection', async () => {
    cluster.proxies.postgres?.reset();
    await uploads.sendMany(cluster.client, 'reset', 20);
    expect(uploads.taken.size).toBe(0);
    cluster.proxies.postgres?.heal();
    await expectMend();
  });

  it('loses the connection between insert and commit', async () => {
    for (const round of rounds()) {
      cluster.failpoints.order('api.after_insert');
      const answer = uploads.send(cluster.client, `terminated ${round}`);
      await cluster.failpoints.reached('api.after_insert');
      await terminate(`application_name = 'ugc-api' and state = 'idle in transaction'`);
      cluster.failpoints.release('api.after_insert');
      expect((await answer)?.status).toBe(503);
    }
    expect(uploads.taken.size).toBe(0);
    await expectMend();
  });

  it('is stopped while the indexer waits for the answer to its bulk', async () => {
    cluster.failpoints.order('worker.after_bulk');
    await uploads.sendMany(cluster.client, 'after bulk', 3);
    await cluster.failpoints.reached('worker.after_bulk');
    await cluster.postgres?.kill();
    cluster.failpoints.release('worker.after_bulk');
    await cluster.postgres?.start();
    await expectMend();
  });
});

it('an upload whose commit is not answered says so, and is stored once when it is repeated with its key', async () => {
  for (const round of rounds()) {
    await cluster.indexed();
    const upload = () =>
      cluster.client.send('POST', '/content', { creatorId: 1, version: 1, ...fieldsOf(`commit ${round}`) }, 1, {
        'idempotency-key': `commit-${round}`,
      });
    cluster.proxies.postgres?.cutInsteadOf('COMMIT');
    expect(expectProblem(await upload(), 503).detail).toContain('not known whether this was stored');
    const repeated = await upload();
    expect(repeated.status).toBe(201);
    uploads.taken.set(repeated.body.content_id, `commit ${round}`);
    expect(await cluster.database.query('select 1 from content where name = $1', [`commit ${round}`])).toHaveLength(1);
  }
  await expectMend();
});

describe('every call is answered in time while PostgreSQL', () => {
  it('hangs', async () => {
    const id = await cluster.client.upload(fieldsOf('read while it hangs'));
    cluster.postgres?.signal('SIGSTOP');
    await expectAnswered(id);
    cluster.postgres?.signal('SIGCONT');
    await expectMend();
  });

  it('is behind a network that swallows everything', async () => {
    const id = await cluster.client.upload(fieldsOf('read while it is away'));
    cluster.proxies.postgres?.silence();
    await expectAnswered(id);
    cluster.proxies.postgres?.heal();
    await expectMend();
  });

  it('is down', async () => {
    const id = await cluster.client.upload(fieldsOf('read while it is down'));
    await cluster.postgres?.kill();
    await expectAnswered(id);
    await cluster.postgres?.start();
    await expectMend();
  });

  it('has no connection left', async () => {
    const id = await cluster.client.upload(fieldsOf('read while it is full'));
    const taken = await takeAllConnections();
    await expectAnswered(id);
    for (const client of taken) await client.end();
    await expectMend();
  });
});

it('an index whose filling has lost its lock, with the connection that held it, is completed all the same', async () => {
  await uploads.sendMany(cluster.client, 'filled again', 10);
  await cluster.indexed();
  cluster.failpoints.order('worker.before_bulk');
  for (const index of await indexNames(cluster)) await cluster.elasticsearch.indices.delete({ index });
  await cluster.failpoints.reached('worker.before_bulk');
  await terminate(`pid in (select pid from pg_locks where locktype = 'advisory')`);
  cluster.failpoints.release('worker.before_bulk');
  await until('lists answer', async () => (await cluster.client.list()).status === 200);
  await expectMend();
  expect(await indexNames(cluster)).toHaveLength(1);
});

/** Far more callers than there are connections, at every endpoint that needs PostgreSQL. */
async function expectAnswered(id: number): Promise<void> {
  const path = `/api/content/${id}`;
  const stored = uploads.taken.size;
  const reads = () => [timed(cluster.client.get(path)), timed(cluster.client.get(`${path}/index-status`))];
  const writes = () => [
    timed(cluster.client.tryUpload(fieldsOf('refused'))),
    timed(cluster.client.send('PATCH', path, { name: 'refused' })),
    timed(cluster.client.send('DELETE', path)),
    timed(cluster.client.send('PUT', `${path}/rating`, { score: 5 })),
    timed(cluster.client.send('POST', `${path}/downloads`)),
  ];
  const repeated = Array.from({ length: 6 }, () => undefined);
  const [read, written] = await Promise.all([Promise.all(repeated.flatMap(reads)), Promise.all(repeated.flatMap(writes))]);
  for (const { answer } of read) expectProblem(answer, 500);
  for (const { answer } of written) expect(expectProblem(answer, 503).detail).toContain('Nothing was stored');
  expect(Math.max(...[...read, ...written].map(({ tookMs }) => tookMs))).toBeLessThanOrEqual(ANSWERED_WITHIN_MS);
  expect((await cluster.client.list()).status).toBe(200);
  expect((await cluster.client.get('/health/ready')).body).toMatchObject({ status: 'unavailable', stores: { postgres: 'down' } });
  uploads.refused.push('refused');
  expect(uploads.taken.size).toBe(stored);
}

async function timed<T>(call: Promise<T>): Promise<{ answer: T; tookMs: number }> {
  const startedAt = performance.now();
  return { answer: await call, tookMs: performance.now() - startedAt };
}

async function restart(how: 'stop' | 'kill' | 'end'): Promise<void> {
  await until('uploads are under way', () => uploads.taken.size > 0);
  if (how === 'end') await endAtOnce();
  else await cluster.postgres?.[how]();
  await delay(500);
  await cluster.postgres?.start();
}

async function endAtOnce(): Promise<void> {
  cluster.postgres?.signal('SIGQUIT');
  await until('it has ended', () => cluster.postgres?.pid() === undefined);
}

async function terminate(where: string): Promise<void> {
  const ended = await cluster.database.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${where}`);
  expect(ended.length).toBeGreaterThan(0);
}

/** So that nobody else gets one; the service's own are ended, as a database that is full after a restart has none for it. */
async function takeAllConnections(): Promise<pg.Client[]> {
  const clients: pg.Client[] = [];
  await terminate(`application_name in ('ugc-api', 'ugc-indexer')`);
  for (;;) {
    const client = new pg.Client(cluster.env['DATABASE_URL']);
    client.on('error', () => undefined);
    try {
      await client.connect();
      clients.push(client);
    } catch {
      if (await noneOfTheService(clients[0])) return clients;
    }
  }
}

async function noneOfTheService(client: pg.Client | undefined): Promise<boolean> {
  const answer = await client?.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name in ('ugc-api', 'ugc-indexer')`,
  );
  return answer?.rowCount === 0;
}

async function expectMend(): Promise<void> {
  await until('uploads are taken again', async () => (await uploads.send(cluster.client, 'healed'))?.status === 201);
  expect(uploads.statusesBut(201, 503)).toEqual([]);
  expect(await countContent(cluster.database)).toBeGreaterThanOrEqual(uploads.taken.size);
  await expectNothingLost(cluster, uploads);
}
