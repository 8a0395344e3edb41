import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { SharedRefresh } from '@ugc/api/indexing/shared-refresh';
import { connectProducer } from '@ugc/shared/stores/redis';
import { Redis } from 'ioredis';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { startService, type Service } from '../support/processes/service.ts';
import { until } from '../support/jest/until.ts';

let service: Service;
let redis: Redis;
let queuePrefix: string;
beforeAll(async () => {
  service = await startService();
  redis = new Redis(service.env['REDIS_URL'] ?? '');
});
beforeEach(() => {
  queuePrefix = `t${randomBytes(6).toString('hex')}`;
});
afterAll(async () => {
  redis.disconnect();
  await service.stop();
});

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
  await until('the turn is free', async () => (await redis.exists(`${queuePrefix}:refresh:turn`)) === 0);
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
