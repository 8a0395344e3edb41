import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { hideContent } from '@ugc/items/changes/hidden-content';
import { preferredWait } from '@ugc/api/endpoints/prefer-wait';
import { SharedRefresh } from '@ugc/api/indexing/shared-refresh';
import { IndexWaiters } from '@ugc/api/indexing/wait-until-indexed';
import { pauseIndexing, resumeIndexing } from '@ugc/shared/indices/index-control';
import { createLog } from '@ugc/shared/process/log';
import type { Database } from '@ugc/shared/postgres/postgres';
import { connectProducer } from '@ugc/shared/redis/redis';
import { Redis } from 'ioredis';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { countOutbox } from '../support/database/outbox.ts';
import type { ApiResponse, Client } from '../support/http/client.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';
import { startAnotherApi } from '../support/processes/api-alone.ts';
import { openStores, startService } from '../support/processes/service.ts';

const WAIT = { prefer: 'wait=10' };
const NO_STORES = { DATABASE_URL: 'postgresql://ugc@127.0.0.1:1/ugc', ELASTICSEARCH_URL: 'http://127.0.0.1:1' };
const neverCalled = { call: () => Promise.reject(new Error('a refresh without an acknowledged change')) };

const service = forAllTests(() => startService());

describe('with Prefer: wait,', () => {
  const uploadAndWait = (name: string) => service.client.tryUpload({ name }, 1, WAIT);

  /** Repeats a change that a slow machine did not index within 10 s. */
  async function shown(change: () => Promise<ApiResponse>): Promise<ApiResponse> {
    const response = await change();
    return response.headers.has('preference-applied') ? response : shown(change);
  }

  it('an upload, an edit and a deletion return when lists show the change', async () => {
    const uploaded = await shown(() => uploadAndWait('Pangolin'));
    expect(uploaded.headers.get('preference-applied')).toBe('wait=10');
    expect(await service.client.search('pangolin')).toContain('Pangolin');
    const path = `/api/content/${uploaded.body.content_id}`;
    await shown(() => service.client.send('PATCH', path, { name: 'Aardvark' }, 1, WAIT));
    expect(await service.client.search('aardvark')).toEqual(['Aardvark']);
    if ((await service.client.send('DELETE', path, undefined, 1, WAIT)).headers.has('preference-applied'))
      expect(await service.client.search('aardvark')).toEqual([]);
  });

  it('many waiting uploads share the refreshes of the index', async () => {
    const index = service.env['CONTENT_ALIAS'] ?? '';
    const refreshes = async () =>
      (await service.elasticsearch.indices.stats({ index, metric: 'refresh' }))._all.primaries?.refresh?.external_total ?? 0;
    const before = await refreshes();
    await pauseIndexing(service.database);
    const uploading = Promise.all(Array.from({ length: 40 }, (_, position) => uploadAndWait(`Ibex ${position}`)));
    await until('all wait', async () => (await countOutbox(service.database)) >= 40);
    await resumeIndexing(service.database);
    const responses = await uploading;
    const after = await refreshes();
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    await service.indexed();
    expect(await service.client.search('ibex')).toHaveLength(40);
    expect(after - before).toBeLessThan(20);
  });

  it('uploads to two API processes are found by lists as soon as they return', async () => {
    const another = await startAnotherApi(service.env);
    const upload = async (name: string, client: Client) => {
      const { headers } = await client.tryUpload({ name }, 1, WAIT);
      return { name, isShown: headers.has('preference-applied'), found: await service.client.search(`"${name}"`) };
    };
    const uploads = await Promise.all(
      Array.from({ length: 20 }, (_, n) => upload(`Tapir ${n}`, n % 2 === 0 ? service.client : another.client)),
    );
    // A busy machine may not index an item within the time.
    const shown = uploads.filter(({ isShown }) => isShown);
    expect(shown.map(({ found }) => found)).toEqual(shown.map(({ name }) => [name]));
    expect(shown.length).toBeGreaterThan(0);
    await another.stop();
  });

  it('an edit waits only for its own revision while the item keeps changing', async () => {
    const { body } = await uploadAndWait('Busy');
    const stop = new AbortController();
    const downloading = (async () => {
      while (!stop.signal.aborted) await service.client.send('POST', `/api/content/${body.content_id}/downloads`);
    })();
    await shown(() => service.client.send('PATCH', `/api/content/${body.content_id}`, { name: 'Busier' }, 1, WAIT));
    stop.abort();
    await downloading;
    expect(await service.client.search('busier')).toEqual(['Busier']);
  });

  it('a change of a rejected item returns at once, without Preference-Applied', async () => {
    const id = await service.client.upload();
    await service.indexed();
    await service.database.query(
      `insert into index_outbox (content_id, revision, due_at, rejected_reason) values ($1, 1, 'infinity', 'because')`,
      [id],
    );
    const response = await service.client.send('PATCH', `/api/content/${id}`, {}, 1, WAIT);
    expect({ status: response.status, applied: response.headers.get('preference-applied') }).toEqual({ status: 200, applied: null });
    expect((await service.client.get(`/api/content/${id}/index-status`)).body.status).toBe('rejected');
  });

  const changed = (id: number) => service.client.send('PATCH', `/api/content/${id}`, {}, 1, WAIT);

  it('an edit that changes nothing returns at once, without Preference-Applied, if the newest change was dropped', async () => {
    const id = await service.client.upload();
    await service.indexed();
    await service.database.query(`insert into index_dropped (content_id, revision, reason) values ($1, 1, 'because')`, [id]);
    expect((await changed(id)).headers.get('preference-applied')).toBe(null);
    await service.database.query(`delete from index_dropped`);
    await shown(() => changed(id));
  });

  it.each(['deleted', 'hidden'])('a repeated upload returns at once, without Preference-Applied, if its item was %s', async (how) => {
    const upload = () => service.client.tryUpload({ name: how }, 1, { ...WAIT, 'idempotency-key': how });
    const { body } = await upload();
    if (how === 'deleted') await service.client.send('DELETE', `/api/content/${body.content_id}`);
    else await hideContent(service.database, body.content_id, { moderator: '1', reason: how });
    await service.indexed();
    const repeated = await upload();
    expect([repeated.status, repeated.body.content_id]).toEqual([201, body.content_id]);
    expect(repeated.headers.get('preference-applied')).toBe(null);
  });
});

it('at most 100 requests of a user wait for the index, further ones return at once, and aborted ones are removed', async () => {
  const { database, close } = openStores(NO_STORES);
  const watch = new IndexWaiters({ database, refresh: neverCalled, log: createLog('test', 'silent') });
  const leaving = new AbortController();
  const wait = (userId: number) => watch.wait({ contentId: 1, revision: 1 }, { timeoutMs: 3_600_000, userId, signal: leaving.signal });
  const waiting = Array.from({ length: 100 }, () => wait(1));
  const excess = wait(1);
  expect(watch.shares.used).toBe(100);
  expect(await excess).toBe(false);
  waiting.push(wait(2));
  expect(watch.shares.used).toBe(101);
  leaving.abort();
  await until('aborted requests are removed long before their timeout', () => watch.shares.used === 0);
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => false));
  await close();
});

it('while PostgreSQL is unavailable, waiting requests query it with backoff and log at most one line per second', async () => {
  const lines: string[] = [];
  const log = createLog('test', 'warn', { write: (line) => void lines.push(line) });
  const { database, close } = openStores(NO_STORES);
  let queries = 0;
  const query: Database['query'] = (text, values) => {
    queries += 1;
    return database.query(text, values);
  };
  const watch = new IndexWaiters({ database: { ...database, query }, refresh: neverCalled, log });
  await watch.wait({ contentId: 1, revision: 1 }, { timeoutMs: 2_500, userId: 1, signal: new AbortController().signal });
  expect(lines.length).toBeGreaterThanOrEqual(1);
  expect(lines.length).toBeLessThanOrEqual(3);
  expect(queries).toBeLessThanOrEqual(7);
  await close();
});

it.each([
  ['wait=5', 5],
  ['respond-async, wait=3', 3],
  ['wait="4"; x=1', 4],
  ['WAIT = 2', 2],
  ['wait=60', 10],
  ['wait=0', 0],
  ['', undefined],
  ['return=minimal', undefined],
  ['wait=soon', undefined],
  ['await=5', undefined],
])('the header Prefer: %s means a wait of %p seconds', (header, seconds) => {
  expect(preferredWait(header)).toBe(seconds);
});

describe('shared refresh', () => {
  let redis: Redis;
  let queuePrefix: string;
  beforeAll(() => void (redis = new Redis(service.env['REDIS_URL'] ?? '')));
  beforeEach(() => {
    queuePrefix = `t${randomBytes(6).toString('hex')}`;
  });
  afterAll(() => redis.disconnect());

  type Refreshed = { startedAt: number; endedAt: number };

  /** Stands for another API process. Each refresh waits for `during` and is recorded. */
  function refreshOf({ during = () => delay(20), log = [] as Refreshed[], connection = redis } = {}): SharedRefresh {
    const { indices } = service.elasticsearch;
    const refresh = async (parameters: object): Promise<unknown> => {
      const startedAt = performance.now();
      await during();
      const response = await indices.refresh(parameters);
      log.push({ startedAt, endedAt: performance.now() });
      return response;
    };
    const elasticsearch = { indices: { refresh } } as unknown as typeof service.elasticsearch;
    return new SharedRefresh({ elasticsearch, redis: connection, alias: service.env['CONTENT_ALIAS'] ?? '', queuePrefix });
  }

  /** A process whose refresh begins when `began` resolves and lasts until `end` is called. */
  function blockedRefresh() {
    const began = Promise.withResolvers<void>();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const during = (): Promise<void> => {
      began.resolve();
      return ended;
    };
    return { refresh: refreshOf({ during }), began: began.promise, end };
  }

  it('refreshes of several processes do not overlap, and each is followed by a pause of four times its duration', async () => {
    const log: Refreshed[] = [];
    const processes = Array.from({ length: 3 }, () => refreshOf({ log }));
    const enough = (): boolean => log.length >= 6;
    const callUntilEnough = async (refresh: SharedRefresh): Promise<void> => {
      while (!enough()) await refresh.call();
    };
    await Promise.all(processes.map(callUntilEnough));
    const pauses = log.slice(1).map(({ startedAt }, n) => startedAt - (log[n]?.endedAt ?? 0));
    const durations = log.map(({ startedAt, endedAt }) => endedAt - startedAt);
    expect(pauses.filter((pause, n) => pause < 3.9 * (durations[n] ?? 0))).toEqual([]);
  });

  it('a refresh serves the calls of all processes that came before it began', async () => {
    const first = blockedRefresh();
    const running = first.refresh.call();
    await first.began;
    const [second, third] = [refreshOf(), refreshOf()];
    await second.call();
    const { call } = await third.call();
    first.end();
    expect((await running).shownUpTo).toBe(Infinity);
    await until('the second process refreshes', async () => (await second.call()).shownUpTo === Infinity);
    expect((await third.call()).shownUpTo).toBeGreaterThanOrEqual(call);
  });

  it('a refresh does not serve a call that came after it began', async () => {
    const first = blockedRefresh();
    const running = first.refresh.call();
    await first.began;
    const second = refreshOf();
    const { call, shownUpTo } = await second.call();
    expect(shownUpTo).toBeLessThan(call);
    first.end();
    await running;
    expect((await second.call()).shownUpTo).toBeLessThan(call);
  });

  it('a refresh that has lost its turn together with the data of Redis serves no call of another process', async () => {
    const other = refreshOf();
    for (let n = 0; n < 5; n += 1) await other.call();
    await until('the turn is free', async () => (await redis.exists(`${queuePrefix}:refresh:${service.alias}:turn`)) === 0);
    const slow = blockedRefresh();
    const running = slow.refresh.call();
    await slow.began;
    await redis.del(await redis.keys(`${queuePrefix}:refresh:*`));
    const holder = blockedRefresh();
    const held = holder.refresh.call();
    await holder.began;
    const { call } = await other.call();
    slow.end();
    await running;
    expect((await other.call()).shownUpTo).toBeLessThan(call);
    holder.end();
    await held;
  });

  it('after a refresh that failed, another one does not follow at once', async () => {
    const log: Refreshed[] = [];
    const failing = refreshOf({ during: () => Promise.reject(new Error('overloaded')) });
    await expect(failing.call()).rejects.toThrow('overloaded');
    await refreshOf({ log }).call();
    expect(log).toEqual([]);
  });

  it('without Redis a call refreshes the index', async () => {
    const connection = connectProducer({ REDIS_URL: 'redis://127.0.0.1:1' }, () => undefined);
    const log: Refreshed[] = [];
    expect((await refreshOf({ log, connection }).call()).shownUpTo).toBe(Infinity);
    expect(log).toHaveLength(1);
    connection.disconnect();
  });
});
