import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OperationsStatus } from '@ugc/shared/contracts/operations-status';
import { ApiEnv } from '@ugc/api/env';
import { parseEnv } from '@ugc/shared/process/env';
import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { pauseIndexing, resumeIndexing } from '@ugc/shared/indices/pause';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import type { Environment } from '../support/processes/environment.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { withIndexLock } from '../support/indices/index-lock.ts';
import { startService } from '../support/processes/service.ts';
import { silentServer } from '../support/servers/silent-server.ts';
import { until } from '../support/jest/until.ts';

async function readStatus(operationsUrl: string): Promise<OperationsStatus> {
  const response = await fetch(`${operationsUrl}/status`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
  return (await response.json()) as OperationsStatus;
}

/** @throws Error if the part could not be read */
function valueOf<T>(part: { value: T } | { problem: string }): T {
  if ('problem' in part) throw new Error(part.problem);
  return part.value;
}

describe('the status of a service', () => {
  const service = forAllTests(() => startService());
  let status: OperationsStatus;
  const untilStatus = (what: string, test: (status: OperationsStatus) => boolean) =>
    until(what, async () => test((status = await readStatus(service.operationsUrl))));

  beforeAll(async () => {
    for (let n = 0; n < 3; n++) await service.client.upload();
    await service.indexed();
  });

  it('names the searched index with its mapping version, documents and role, and the stores', async () => {
    await untilStatus('the documents are counted', ({ targets }) => valueOf(targets).list[0]?.index?.documents === 3);
    expect(status.stores).toEqual({ postgres: 'up', redis: 'up', elasticsearch: 'up' });
    expect(valueOf(status.targets)).toMatchObject({ mappingVersion: MAPPING_VERSION, rebuildDue: false, rebuild: null });
    expect(valueOf(status.targets).list).toEqual([
      expect.objectContaining({
        indexName: expect.stringContaining(`${service.env['CONTENT_ALIAS']}-v${MAPPING_VERSION}-`),
        role: 'search',
        mappingVersion: MAPPING_VERSION,
        retiredReason: null,
        index: { searched: true, writesBlocked: false, documents: 3, bytes: expect.any(Number), written: 3 },
        problem: null,
      }),
    ]);
  });

  it('names the waiting jobs, the connected indexers and the limits of the process', async () => {
    await untilStatus('the indexer is connected', ({ queue }) => valueOf(queue).indexers === 1);
    expect(valueOf(status.queue)).toMatchObject({ waiting: 0, active: 0, memory: { limitBytes: null } });
    expect(valueOf(status.queue).memory?.usedBytes).toBeGreaterThan(0);
    const limits = Object.fromEntries(status.resources.map(({ resource, limit }) => [resource, limit]));
    expect(limits).toMatchObject({ postgres_connections: 10, waiting_jobs: 50, connections: 1_000, index_waiters: 1_000 });
    expect(status.process).toMatchObject({ live: true, residentBytes: expect.any(Number) });
  });

  it('contains since when indexing is paused, and the changes that wait', async () => {
    await pauseIndexing(service.database);
    await service.client.upload();
    await untilStatus('the change is pending', ({ backlog }) => valueOf(backlog.now).pending === 1);
    const { pausedSince } = valueOf(status.indexing);
    expect(Date.now() - Date.parse(pausedSince ?? '')).toBeLessThan(120_000);
    expect(valueOf(status.backlog.now).oldestPendingSeconds).toBeGreaterThan(0);
    await resumeIndexing(service.database);
    await untilStatus('indexing runs', ({ indexing }) => valueOf(indexing).pausedSince === null);
  });

  it('contains a rejected item with a reason of at most 500 characters, and how many there are', async () => {
    await service.indexed();
    const insert = `insert into index_outbox (content_id, revision, rejected_reason) select n, 7, $1 from generate_series(1001, 1030) n`;
    await service.database.query(insert, ['field [x] '.repeat(100)]);
    await untilStatus('the items are listed', ({ rejected }) => valueOf(rejected).total === 30);
    expect(valueOf(status.rejected).items).toHaveLength(20);
    expect(valueOf(status.rejected).items[0]).toEqual({
      contentId: 1_001,
      revision: 7,
      since: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      reason: 'field [x] '.repeat(50),
    });
    await service.database.query(`delete from index_outbox where content_id > 1000`);
  });
});

describe('the status of an API without an indexer', () => {
  const api = forAllTests(() => startApiAlone());
  let status: OperationsStatus;
  const untilStatus = (what: string, test: (status: OperationsStatus) => boolean) =>
    until(what, async () => test((status = await readStatus(api.operationsUrl))));
  const change = (statement: string, values: unknown[] = []) => api.database.query(statement, values);

  beforeAll(async () => {
    for (let n = 0; n < 2; n++) await api.client.upload();
    await until('the items are claimed', async () => (await change(`select from index_outbox where job_id is null`)).length === 0);
    // One item has been isolated; the jobs are old.
    await change(`update index_outbox set claims = 5 where content_id = 1`);
    await change(`update index_outbox set claimed_at = now() - interval '2 minutes', pending_since = now() - interval '3 minutes'`);
    await change(`insert into index_target (index_name, role, mapping_version, filled_to) values ('new', 'next', $1, 1)`, [
      MAPPING_VERSION,
    ]);
  });

  it('contains the jobs and the isolated items that do not end', async () => {
    await untilStatus('they are listed', ({ unfinished }) => valueOf(unfinished).isolated.length === 1);
    expect(valueOf(status.unfinished).isolated).toEqual([{ contentId: 1, claims: 5, pendingSeconds: expect.any(Number) }]);
    const { jobs, jobCount } = valueOf(status.unfinished);
    expect(jobs).toHaveLength(jobCount);
    expect(jobs.reduce((sum, { items }) => sum + items, 0)).toBe(2);
    expect(jobs[0]).toMatchObject({ jobId: expect.stringMatching(/^[\da-f-]{36}$/), state: 'waiting' });
    expect(jobs[0]?.claimedSeconds).toBeGreaterThanOrEqual(120);
  });

  it('shows that no indexer is connected', () => {
    expect(valueOf(status.queue)).toMatchObject({ indexers: 0, active: 0 });
    expect(valueOf(status.queue).waiting).toBeGreaterThan(0);
  });

  it('contains the progress of a rebuild, and whether a process works on it', async () => {
    expect(valueOf(status.targets).rebuild).toEqual({ indexName: 'new', filledTo: 1, lastContentId: 2, running: false });
    expect(valueOf(status.targets).list).toEqual([
      expect.objectContaining({ role: 'next', index: null, problem: expect.stringContaining('Elasticsearch has no such index') }),
    ]);
    await withIndexLock(api.database, () =>
      untilStatus('a process works on it', ({ targets }) => valueOf(targets).rebuild?.running === true),
    );
    await untilStatus('no process works on it', ({ targets }) => valueOf(targets).rebuild?.running === false);
  });

  it('contains samples of the backlog with their times', () => {
    const { lastHour } = status.backlog;
    expect(lastHour.length).toBeGreaterThan(0);
    expect(Date.parse(lastHour[0]?.time ?? '')).toBeLessThanOrEqual(Date.parse(status.time));
  });
});

describe('while stores do not respond', () => {
  let silent: Awaited<ReturnType<typeof silentServer>>;
  beforeAll(async () => void (silent = await silentServer()));
  afterAll(() => silent.stop());

  // The tests mostly wait for time-outs, so they run side by side.
  it.concurrent.each([
    ['PostgreSQL', 'DATABASE_URL', 'postgresql://u:p@', ['indexing', 'rejected', 'unfinished', 'targets'], ['queue']],
    ['Redis', 'REDIS_URL', 'redis://', ['queue'], ['indexing', 'rejected', 'unfinished', 'targets']],
    ['Elasticsearch', 'ELASTICSEARCH_URL', 'http://', [], ['indexing', 'rejected', 'unfinished', 'targets', 'queue']],
  ] as const)('only the parts that need %s say so', async (store, variable, protocol, unread, read) => {
    const url = `${protocol}${silent.address}${store === 'PostgreSQL' ? '/ugc' : ''}`;
    await withApi({ [variable]: url }, async (api) => {
      let status = await readStatus(api.operationsUrl);
      const isRead = (part: (typeof read)[number]) => 'value' in status[part];
      await until('the other stores are connected', async () => {
        status = await readStatus(api.operationsUrl);
        return read.every(isRead);
      });
      expect(status.stores).toMatchObject({ [store === 'PostgreSQL' ? 'postgres' : store.toLowerCase()]: 'down' });
      for (const part of unread) expect([part, status[part]]).toEqual([part, { problem: expect.stringContaining(store) }]);
      expect(status.resources.length).toBeGreaterThan(10);
    });
  });

  it.concurrent('a target is listed without its index while Elasticsearch does not respond', () =>
    withApi({ ELASTICSEARCH_URL: `http://${silent.address}` }, async (api) => {
      await api.database.query(`insert into index_target (index_name, role) values ('known', 'search')`);
      const [target] = valueOf((await readStatus(api.operationsUrl)).targets).list;
      expect(target).toMatchObject({
        indexName: 'known',
        index: null,
        problem: expect.stringContaining('Elasticsearch did not return it'),
      });
    }),
  );
});

async function withApi(env: Environment, test: (api: ApiAlone) => Promise<void>): Promise<void> {
  const api = await startApiAlone(env);
  await test(api).finally(() => api.stop());
}

describe('requests to the operations port', () => {
  const api = forAllTests(() => startApiAlone({ OPERATIONS_HOSTS: 'Ops.example.com, 10.1.2.3' }));

  /** Uses node:http, because fetch sets the Host header itself. */
  async function send(path: string, host: string | undefined, method = 'GET') {
    const { hostname, port } = new URL(api.operationsUrl);
    const headers = host === undefined ? {} : { host };
    const sent = request({ hostname, port, path, method, headers, setHost: false }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  }

  it.each(['localhost', 'LOCALHOST', 'localhost:9464', '127.0.0.1:1', '[::1]', '[::1]:9464', 'ops.example.com:80', '10.1.2.3'])(
    'for the page and its data get 200 under the host %s',
    async (host) => {
      for (const path of ['/', '/status']) expect([path, (await send(path, host)).status]).toEqual([path, 200]);
    },
  );

  it.each([
    'attacker.example',
    'attacker.example:9464',
    'localhost.attacker.example',
    'localhost:9464@attacker.example',
    'attacker.example, localhost',
    '127.0.0.2',
    '[::2]',
    'localhost:',
    'ops.example.com.evil',
  ])('for the page and its data get 403 under the host %s, while metrics and liveness are available', async (host) => {
    for (const path of ['/', '/status']) {
      const { status, body } = await send(path, host);
      expect([path, status, body]).toEqual([
        path,
        403,
        expect.stringContaining('localhost, 127.0.0.1 and [::1], and those in OPERATIONS_HOSTS'),
      ]);
    }
    expect((await send('/metrics', host)).status).toBe(200);
    expect((await send('/health/live', host)).status).toBe(200);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('of the method %s get 405 with the methods that exist', async (method) => {
    for (const path of ['/', '/status']) {
      const { status, headers } = await send(path, 'localhost', method);
      expect([path, status, headers.allow]).toEqual([path, 405, 'GET, HEAD']);
    }
  });

  it('of the method HEAD have the headers of GET and no body', async () => {
    for (const path of ['/', '/status']) {
      const { status, headers, body } = await send(path, 'localhost', 'HEAD');
      expect([status, Number(headers['content-length']) > 0, body]).toEqual([200, true, '']);
    }
  });

  it('have a strict policy for the page, and no other origin may read the data', async () => {
    const page = await send('/', 'localhost');
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(page.headers['content-security-policy']).not.toContain('unsafe');
    const data = await send('/status', 'localhost');
    expect(data.headers).toMatchObject({ 'cache-control': 'no-store', 'cross-origin-resource-policy': 'same-origin' });
    expect(data.headers['access-control-allow-origin']).toBeUndefined();
  });

  it.each(['https://ops.example.com', 'ops.example.com:9464', 'a/b', '*'])(
    'are not permitted for OPERATIONS_HOSTS=%s, which is no host name',
    (value) =>
      expect(() => parseEnv(ApiEnv, { ...api.env, OPERATIONS_HOSTS: value })).toThrow(
        /OPERATIONS_HOSTS: must be a comma-separated list of host names/,
      ),
  );

  it('for other paths get 404 with the paths that exist', async () => {
    expect(await send('/nowhere', 'localhost')).toMatchObject({ status: 404, body: expect.stringContaining('/status') });
  });
});
