import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { serverAccount } from '@ugc/local-stack/account';
import { choosePorts } from '@ugc/local-stack/ports';
import { redisServer } from '@ugc/local-stack/redis-server';
import type { Server } from '@ugc/local-stack/server';
import { Redis } from 'ioredis';
import { startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import { dataFolder } from '../support/servers/data-folder.ts';
import { scrape } from '../support/http/scrape.ts';
import { until } from '../support/jest/until.ts';

let server: Server;
let redis: Redis;
let api: ApiAlone;
beforeAll(async () => {
  const dataDir = await dataFolder('redis-');
  const [port = 0] = await choosePorts([{ server: 'Redis', variable: 'redis', port: 0 }]);
  server = redisServer({ dataDir, port, as: serverAccount() });
  await server.start();
  redis = new Redis(server.url);
  await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
  api = await startApiAlone({ REDIS_URL: server.url, LOG_LEVEL: 'info' });
});
afterAll(async () => {
  await api.stop();
  redis.disconnect();
  await server.stop();
});

const errors = (): unknown[] =>
  api.logged.map((line) => JSON.parse(line)).filter(({ policy, level }) => policy !== undefined && level === 50);

it('an eviction policy of Redis is logged as an error when the API connects', async () => {
  await until('it is logged', () => errors().length > 0);
  expect(errors()).toEqual([
    expect.objectContaining({ policy: 'allkeys-lru', msg: expect.stringContaining('set its maxmemory-policy to noeviction') }),
  ]);
});

it('readiness and a metric report the eviction policy, and uploads succeed', async () => {
  const { status, body } = await api.client.get('/health/ready');
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'degraded', stores: { redis: 'evicts' } });
  expect((await scrape(api.operationsUrl)).get('ugc_redis_eviction_policy_ok')).toBe(0);
  expect((await api.client.tryUpload()).status).toBe(201);
});

it('a corrected policy is detected without a restart', async () => {
  await redis.config('SET', 'maxmemory-policy', 'noeviction');
  await until('readiness says so', async () => (await api.client.get('/health/ready')).body.stores.redis === 'up');
  expect((await scrape(api.operationsUrl)).get('ugc_redis_eviction_policy_ok')).toBe(1);
  expect(errors()).toHaveLength(1);
});

it('an eviction policy that is set while the service runs is detected', async () => {
  await redis.config('SET', 'maxmemory-policy', 'volatile-ttl');
  await until('the metric says so', async () => (await scrape(api.operationsUrl)).get('ugc_redis_eviction_policy_ok') === 0);
  expect(errors()).toHaveLength(2);
});
