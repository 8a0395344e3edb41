import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { serverAccount } from '@ugc/local-stack/account';
import { choosePorts } from '@ugc/local-stack/ports';
import { redisServer } from '@ugc/local-stack/redis-server';
import type { Server } from '@ugc/local-stack/server';
import { startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import type { ApiResponse } from '../support/http/client.ts';
import { dataFolder } from '../support/servers/data-folder.ts';
import { USERS, type Environment } from '../support/processes/environment.ts';
import { expectProblem } from '../support/http/problems.ts';
import { head, parseRaw, sendRaw } from '../support/http/raw-http.ts';
import { untilCountedInRedis } from '../support/database/counted-in-redis.ts';
import { tokenOf } from '../support/http/tokens.ts';

const LIMITS = {
  RATE_LIMIT_WRITES_PER_MINUTE: '3',
  RATE_LIMIT_LISTS_PER_MINUTE: '4',
  RATE_LIMIT_READS_PER_MINUTE: '5',
  RATE_LIMIT_FAILED_TOKENS_PER_MINUTE: '6',
  RATE_LIMIT_SUGGESTIONS_PER_MINUTE: '7',
};

const started: ApiAlone[] = [];
/** Waits until the process is connected to Redis; before that, it counts in memory. */
async function start(overrides: Environment = {}): Promise<ApiAlone> {
  const api = await startAlone(overrides);
  // A different user each time, because the counts are shared between processes.
  await untilCountedInRedis(api, nextUserId++);
  return api;
}
async function startAlone(overrides: Environment): Promise<ApiAlone> {
  const api = await startApiAlone({ ...LIMITS, ...overrides });
  started.push(api);
  return api;
}
let nextUserId = 900;
afterEach(async () => {
  await Promise.all(started.splice(0).map((api) => api.stop()));
});

/** @returns the statuses of sequential calls */
async function statuses(times: number, call: () => Promise<ApiResponse>): Promise<number[]> {
  const found: number[] = [];
  for (let n = 0; n < times; n += 1) found.push((await call()).status);
  return found;
}

function expectTooMany(response: ApiResponse, limit: string): void {
  expect(expectProblem(response, 429).detail).toContain(`The limit is ${limit} per minute`);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(Number(response.headers.get('retry-after'))).toBeLessThanOrEqual(60);
}

describe('the rate limits of a user', () => {
  it('count writes, lists and reads separately, and 429 has a Retry-After header', async () => {
    const { client } = await start();
    expect(await statuses(3, () => client.tryUpload())).toEqual([201, 201, 201]);
    expectTooMany(await client.tryUpload(), '3 writes');
    expectTooMany(await client.send('PUT', '/api/content/1/rating', { score: 5 }), '3 writes');
    // Without an indexer there is no index.
    expect(await statuses(4, () => client.list())).toEqual([500, 500, 500, 500]);
    expectTooMany(await client.list(), '4 lists');
    expect(await statuses(5, () => client.get('/api/content/1'))).toEqual([200, 200, 200, 200, 200]);
    expectTooMany(await client.get('/api/content/1/index-status'), '5 reads');
  });

  it('count suggestions separately, so that typing uses up neither lists nor reads', async () => {
    const { client } = await start();
    const suggest = () => client.get('/api/content/suggest?prompt=li');
    expect(await statuses(7, suggest)).toEqual([500, 500, 500, 500, 500, 500, 500]);
    expectTooMany(await suggest(), '7 suggestions');
    expect((await client.list()).status).toBe(500);
    expect((await client.get('/api/content/1')).status).toBe(404);
  });

  it('are independent of the requests of other users', async () => {
    const { client } = await start();
    await statuses(4, () => client.tryUpload({}, USERS.ada));
    expect((await client.tryUpload({}, USERS.boris)).status).toBe(201);
  });

  it('are shared by all API processes', async () => {
    const one = await start({ QUEUE_PREFIX: 'together' });
    const other = await start({ QUEUE_PREFIX: 'together' });
    expect(await statuses(2, () => one.client.tryUpload())).toEqual([201, 201]);
    expect(await statuses(2, () => other.client.tryUpload())).toEqual([201, 429]);
  });

  it('reject an upload before its body is sent', async () => {
    const { client } = await start();
    await statuses(3, () => client.tryUpload());
    const headers = ['Content-Type: application/json', 'Content-Length: 1000000', 'Expect: 100-continue', 'Connection: close'];
    const response = await sendRaw(client.baseUrl, head('POST', '/content', [`Authorization: Bearer ${await tokenOf(1)}`, ...headers]));
    expect(response).not.toContain('100 Continue');
    expect(parseRaw(response).status).toBe(429);
  });

  it('do not apply to health checks and the OpenAPI document', async () => {
    const { client } = await start();
    for (const path of ['/health/live', '/health/ready', '/openapi.json'])
      expect(new Set(await statuses(10, () => client.request('GET', path)))).toEqual(new Set([200]));
  });
});

describe('the rate limit for requests without a valid token', () => {
  const guess = (api: ApiAlone, headers: Record<string, string> = {}): Promise<ApiResponse> =>
    api.client.request('GET', '/api/content/1', { token: 'x.y.z', headers });

  it('replaces 403 by 429, and does not affect requests with a valid token from the same network', async () => {
    const api = await start();
    expect(await statuses(6, () => guess(api))).toEqual([403, 403, 403, 403, 403, 403]);
    expectTooMany(await guess(api), '6 requests without a valid token');
    expectTooMany(await api.client.request('GET', '/nowhere'), '6 requests without a valid token');
    expect((await api.client.get('/api/content/1')).status).toBe(404);
  });

  it('uses the address of the connection and ignores X-Forwarded-For without TRUST_PROXY', async () => {
    const api = await start();
    let n = 0;
    expect(await statuses(7, () => guess(api, { 'x-forwarded-for': `192.0.2.${n++}` }))).toContain(429);
  });

  it('uses the address that the trusted proxy added to X-Forwarded-For', async () => {
    const api = await start({ TRUST_PROXY: '1' });
    let n = 0;
    const from = (address: string) => () => guess(api, { 'x-forwarded-for': `192.0.2.${n++}, ${address}` });
    expect((await statuses(7, from('198.51.100.1'))).at(-1)).toBe(429);
    expect(await statuses(1, from('198.51.100.2'))).toEqual([403]);
  });

  it('does not count 403 responses to requests with a valid token', async () => {
    const api = await start();
    const foreign = () => api.client.send('PATCH', '/api/content/1', {}, USERS.boris);
    await api.client.upload();
    expect(await statuses(3, foreign)).toEqual([403, 403, 403]);
    expect(await statuses(6, () => guess(api))).not.toContain(429);
  });
});

describe('rate limits without Redis', () => {
  let redis: Server;
  beforeAll(async () => {
    const [port = 0] = await choosePorts([{ server: 'redis', variable: 'redis', port: 0 }]);
    const dataDir = await dataFolder('limits-');
    redis = redisServer({ dataDir, port, as: serverAccount() });
    await redis.start();
  });
  afterAll(() => redis.stop());

  /** Uploads without Redis take at most 300 ms; this allows for a slow machine, but not for a timeout. */
  const FAST_MS = 1_500;
  async function expectLimitedInMemory({ client }: ApiAlone): Promise<void> {
    const found: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      const startedAt = performance.now();
      found.push((await client.tryUpload()).status);
      expect(performance.now() - startedAt).toBeLessThan(FAST_MS);
    }
    expect(found.slice(0, 3)).toEqual([201, 201, 201]);
    expect(found.at(-1)).toBe(429);
  }

  it('are counted by each process while Redis does not respond, and requests do not wait', async () => {
    const api = await start({ REDIS_URL: redis.url });
    redis.signal('SIGSTOP');
    await expectLimitedInMemory(api);
    redis.signal('SIGCONT');
  });

  it('are counted by each process while Redis is down, and in Redis again after it restarts', async () => {
    await redis.kill();
    const api = await startAlone({ REDIS_URL: redis.url });
    await expectLimitedInMemory(api);
    await redis.start();
    await untilCountedInRedis(api, USERS.boris);
  });
});
