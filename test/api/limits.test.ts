import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { toDocument } from '@ugc/indexer/documents/document';
import { serverAccount } from '@ugc/local-stack/account';
import { choosePorts } from '@ugc/local-stack/ports';
import { redisServer } from '@ugc/local-stack/redis-server';
import type { Server } from '@ugc/local-stack/server';
import { INDEX_BODY } from '@ugc/shared/contracts/content-index';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { untilCountedInRedis } from '../support/servers/redis.ts';
import type { ApiResponse } from '../support/http/client.ts';
import { openRequests, head, parseRaw, sendRaw } from '../support/http/raw-http.ts';
import { expectProblem } from '../support/http/problems.ts';
import { scrape } from '../support/http/scrape.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { indexedContent } from '../support/indices/indexed-content.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';
import { startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import { USERS, type Environment } from '../support/processes/environment.ts';
import { dataFolder } from '../support/servers/data-folder.ts';

/** One user has at most half as many active requests as there are PostgreSQL connections. */
const POOL_SIZE = 4;
const ACTIVE_MAX = 2;
const WAITING_MAX = 200;

describe('the requests of one user', () => {
  const api = forAllTests(() => startApiAlone({ DATABASE_POOL_SIZE: String(POOL_SIZE) }));
  let contentId: number;
  beforeAll(async () => {
    contentId = await api.client.upload();
  });

  const used = async (resource: string) => (await scrape(api.operationsUrl)).get(`ugc_resource_used{resource="${resource}_of_one_user"}`);
  const read = (userId: number) => api.client.get(`/api/content/${contentId}`, userId);
  const waiting = () => used('waiting_requests');

  const requests = openRequests(() => api.client.baseUrl);
  /** Starts uploads that stay active until their connections are destroyed: what they send is enough for two minutes. */
  const occupyAllSlots = () =>
    Promise.all(
      Array.from({ length: ACTIVE_MAX }, async () => {
        const socket = await requests.beginUpload(1, 'Content-Length: 2000000');
        socket.write(Buffer.alloc(1_990_000, ' '));
        return socket;
      }),
    );

  afterEach(async () => {
    requests.destroy();
    await until('no request is active', async () => (await used('active_requests')) === 0);
    expect(await used('waiting_requests')).toBe(0);
  });

  it('use at most half of the PostgreSQL connections, so that other users are served while edits of a locked item wait', async () => {
    const edits = await api.database.transaction(async (tx) => {
      await tx.query('select 1 from content where content_id = $1 for update', [contentId]);
      const sent = Array.from({ length: 12 }, (_, n) => api.client.send('PATCH', `/api/content/${contentId}`, { name: `name ${n}` }));
      await until('the maximum number is active', async () => ((await used('active_requests')) ?? 0) >= ACTIVE_MAX);
      expect([(await api.client.tryUpload({}, 2)).status, (await read(2)).status]).toEqual([201, 200]);
      expect(await used('active_requests')).toBeLessThanOrEqual(ACTIVE_MAX);
      return sent;
    });
    // 503 if the statement timed out while it waited for the lock.
    for (const { status } of await Promise.all(edits)) expect([200, 503]).toContain(status);
  });

  it('beyond the maximum wait, and succeed when a slot is released', async () => {
    await occupyAllSlots();
    const reads = Array.from({ length: 5 }, () => read(1));
    await until('they wait', async () => (await waiting()) === 5);
    expect((await read(2)).status).toBe(200);
    requests.destroy();
    expect((await Promise.all(reads)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  });

  it('are 429 beyond the maximum number of waiting requests', async () => {
    await occupyAllSlots();
    const reads = Array.from({ length: WAITING_MAX }, () => read(1));
    await until('the maximum number waits', async () => (await waiting()) === WAITING_MAX);
    const excess = await read(1);
    expect(excess.status).toBe(429);
    expect(Number(excess.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await read(2)).status).toBe(200);
    requests.destroy();
    expect(new Set((await Promise.all(reads)).map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('that wait are removed when their clients disconnect', async () => {
    const occupying = await occupyAllSlots();
    const leaving = new AbortController();
    const left = fetch(`${api.client.baseUrl}/api/content/${contentId}`, {
      headers: { authorization: `Bearer ${await tokenOf(1)}` },
      signal: leaving.signal,
    }).catch(() => 'left');
    await until('it waits', async () => (await waiting()) === 1);
    leaving.abort();
    expect(await left).toBe('left');
    await until('no request waits', async () => (await waiting()) === 0);
    // The active requests have not timed out, which would have released their slots.
    expect(occupying.map(({ destroyed, readableEnded }) => destroyed || readableEnded)).toEqual([false, false]);
  });

  it('hold no slot while they wait for the index, which ends after the time of Prefer: wait without an indexer', async () => {
    const uploads = Array.from({ length: ACTIVE_MAX }, () => api.client.tryUpload({}, 1, { prefer: 'wait=10' }));
    const waiters = async () => (await scrape(api.operationsUrl)).get('ugc_resource_used{resource="index_waiters"}');
    await until('they wait for the index', async () => (await waiters()) === ACTIVE_MAX);
    expect(await used('active_requests')).toBe(0);
    for (const { status, headers, body } of await Promise.all(uploads)) {
      expect([status, headers.get('preference-applied')]).toEqual([201, null]);
      expect((await api.client.get(`/api/content/${body.content_id}/index-status`)).body.status).toBe('pending');
    }
  });
});

describe('rate limits', () => {
  const LIMITS = {
    RATE_LIMIT_WRITES_PER_MINUTE: '3',
    RATE_LIMIT_LISTS_PER_MINUTE: '1',
    RATE_LIMIT_READS_PER_MINUTE: '5',
    RATE_LIMIT_FAILED_TOKENS_PER_MINUTE: '6',
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
    expect(expectProblem(response, 429, 'rate-exceeded').detail).toContain(`The limit is ${limit} per minute`);
    const seconds = Number(response.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    const [quota = '', ...name] = limit.split(' ');
    expect(response.headers.get('ratelimit-policy')).toBe(`"${name.join(' ')}";q=${quota};w=60`);
    expect(response.headers.get('ratelimit')).toBe(`"${name.join(' ')}";r=0;t=${seconds}`);
  }

  describe('the rate limits of a user', () => {
    it('count writes, lists and reads separately, and 429 has a Retry-After header', async () => {
      const { client } = await start();
      expect(await statuses(3, () => client.tryUpload())).toEqual([201, 201, 201]);
      expectTooMany(await client.tryUpload(), '3 writes');
      expectTooMany(await client.send('PUT', '/api/content/1/rating', { score: 5 }), '3 writes');
      // Without an indexer there is no index.
      expect(await statuses(1, () => client.list())).toEqual([500]);
      expectTooMany(await client.list(), '1 lists');
      expect(await statuses(5, () => client.get('/api/content/1'))).toEqual([200, 200, 200, 200, 200]);
      expectTooMany(await client.get('/api/content/1/index-status'), '5 reads');
    });

    it('count suggestions separately, ten for each list, so that typing uses up neither lists nor reads', async () => {
      const { client } = await start();
      const suggest = () => client.get('/api/content/suggest?prompt=li');
      expect(await statuses(10, suggest)).toEqual(Array(10).fill(500));
      expectTooMany(await suggest(), '10 suggestions');
      expect((await client.list()).status).toBe(500);
      expect((await client.get('/api/content/1')).status).toBe(404);
    });

    it('tell with every response what is left, also with an error', async () => {
      const { client } = await start();
      const quota = ({ headers }: ApiResponse) => [headers.get('ratelimit-policy'), headers.get('ratelimit')?.replace(/\d+$/, '')];
      expect(quota(await client.tryUpload())).toEqual(['"writes";q=3;w=60', '"writes";r=2;t=']);
      expect(quota(await client.tryUpload({ name: '' }))).toEqual(['"writes";q=3;w=60', '"writes";r=1;t=']);
      expect(quota(await client.get('/nowhere'))).toEqual(['"reads";q=5;w=60', '"reads";r=4;t=']);
      const unlimited = await startApiAlone();
      started.push(unlimited);
      expect(quota(await unlimited.client.tryUpload())).toEqual([null, undefined]);
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

    async function expectLimitedInMemory({ client }: ApiAlone): Promise<void> {
      const found: number[] = [];
      for (let n = 0; n < 6; n += 1) {
        found.push((await client.tryUpload()).status);
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
});

const KIB = 1_024;
const LARGE_ITEMS = 2;
const LARGE = '/api/content?anyTags=large';

describe('the searches of one API process', () => {
  let api: ApiAlone;
  /** While it is set, searches do not end; the bodies of large responses end neither while `bodies` is set. */
  let held: Promise<void> | undefined;
  let heldBodies: Promise<void> | undefined;
  let [active, mostActive] = [0, 0];
  /** Large responses that have arrived but for their end. */
  let received = 0;
  beforeAll(async () => {
    // Searches are held for as long as a busy machine needs to begin the others.
    api = await startApiAlone({}, holdable);
    const alias = api.env['CONTENT_ALIAS'] ?? '';
    await api.elasticsearch.indices.create({ index: `${alias}-v1`, ...INDEX_BODY, aliases: { [alias]: {} } });
    const operations = Array.from({ length: 12 }, (_, n) => [{ index: { _id: String(n + 1) } }, documentOf(n + 1)]).flat();
    expect((await api.elasticsearch.bulk({ index: alias, operations, refresh: true })).errors).toBe(false);
  });
  afterEach(async () => {
    [held, heldBodies, mostActive, received] = [undefined, undefined, 0, 0];
    await until('nothing is held', async () => (await used('searches')) === 0 && (await used('list_bytes')) === 0);
  });
  afterAll(() => api.stop());

  const used = async (resource: string) => (await scrape(api.operationsUrl)).get(`ugc_resource_used{resource="${resource}"}`);
  const statusesOf = async (requests: ReturnType<ApiAlone['client']['get']>[]) => (await Promise.all(requests)).map(({ status }) => status);

  function documentOf(contentId: number): object {
    const isLarge = contentId <= LARGE_ITEMS;
    const fields = { contentId, data: isLarge ? 'x'.repeat(300 * KIB) : '', tags: [isLarge ? 'large' : 'small'] };
    return toDocument(indexedContent({ ...fields, createdAt: new Date(Date.UTC(2026, 0, contentId)) }), NEWEST_RULES);
  }

  function holdable(elasticsearch: Elasticsearch): Elasticsearch {
    const search = async (...parameters: Parameters<Elasticsearch['search']>) => {
      active += 1;
      mostActive = Math.max(mostActive, active);
      await held;
      const searching = elasticsearch.search(...parameters).finally(() => (active -= 1));
      const response = (await searching) as unknown as { body: NodeJS.ReadableStream };
      const end = heldBodies;
      return end ? { ...response, body: Readable.from(withHeldEnd(response.body, end)) } : response;
    };
    return Object.create(elasticsearch, { search: { value: search } });
  }

  /** A body that ends on demand if it is large. */
  async function* withHeldEnd(body: NodeJS.ReadableStream, end: Promise<void>): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const chunk of body) {
      bytes += chunk.length;
      yield Buffer.from(chunk);
    }
    if (bytes <= 256 * KIB) return;
    received += 1;
    await end;
  }

  it('are at most three of one user, each search of facets counted: other users are served, and so is a list that anybody may share', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    const filters = 'anyTags=small&creatorId=1&minRating=0&minDownloads=0&createdFrom=2000-01-01';
    const facets = [1, 2].map((n) => api.client.get(`/api/content/facets?${filters}&maxDownloads=${100 * n}`, 1));
    await until('three are active', () => active === 3);
    const lists = [1, 2, 3].map((userId) => api.client.get(`/api/content?size=${userId}`, userId));
    await until('the lists are active', () => active === 6);
    resolve();
    expect(await statusesOf([...facets, ...lists])).toEqual([200, 200, 200, 200, 200]);
    expect(mostActive).toBeLessThanOrEqual(6);
  });

  it('are at most sixteen of all users: those of further users wait for their turns', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    // One each: while the event loop is busy, a user may read only one list at a time.
    const lists = Array.from({ length: 20 }, (_, n) => api.client.get(`/api/content?size=${n + 1}`, n + 1));
    await until('sixteen are active', () => active === 16);
    resolve();
    expect(new Set(await statusesOf(lists))).toEqual(new Set([200]));
    expect(mostActive).toBe(16);
  });

  it('with a large response wait for their turn to be received, and never make a small one wait or fail', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    heldBodies = promise;
    const large = [1, 2, 3, 4].map((userId) => api.client.get(`${LARGE}&size=${userId + 1}`, userId));
    await until('three are received', () => received === 3);
    for (const userId of [5, 6, 7]) expect((await api.client.get('/api/content?anyTags=small', userId)).status).toBe(200);
    expect(received).toBe(3);
    resolve();
    expect(await statusesOf(large)).toEqual([200, 200, 200, 200]);
  });
});

const BODY = JSON.stringify({ creatorId: 1, name: 'x', description: '', version: 1, data: '' });
const chunk = (content: string): string => `${content.length.toString(16)}\r\n${content}\r\n`;

describe('the memory budget for request bodies', () => {
  let api: ApiAlone;
  beforeAll(async () => {
    // The limit is 10,000 bytes per user, the size of the largest body, and 20,000 for the process.
    api = await startApiAlone({ BODY_MAX_BYTES: '10000', UPLOADS_IN_FLIGHT_MAX_BYTES: '20000' });
  });
  afterAll(() => api.stop());
  // On a slow machine, what a test does during an upload takes longer than a body may that is not sent.
  beforeEach(() => {
    let now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => (now += 0.001));
  });
  const requests = openRequests(() => api.client.baseUrl);
  afterEach(() => {
    jest.restoreAllMocks();
    requests.destroy();
  });

  const tryUpload = (userId = 1) => api.client.tryUpload({ data: 'x'.repeat(1_000) }, userId);
  const reservedBytes = async () => (await scrape(api.operationsUrl)).get('ugc_resource_used{resource="upload_bytes"}');
  const untilOneWaits = () =>
    until(
      'an upload waits',
      async () => ((await scrape(api.operationsUrl)).get('ugc_resource_longest_wait_seconds{resource="upload_bytes"}') ?? 0) > 0,
    );
  const untilReleased = () => until('all memory is released', async () => (await reservedBytes()) === 0);
  afterEach(untilReleased);

  it('is limited per user: further uploads of the user wait, and other users are served', async () => {
    const first = await requests.beginUpload(1, 'Content-Length: 9999');
    const waiting = tryUpload();
    await untilOneWaits();
    expect((await tryUpload(2)).status).toBe(201);
    first.destroy();
    expect((await waiting).status).toBe(201);
  });

  it('is limited for all users: an upload beyond it waits before its body is read', async () => {
    const one = await requests.beginUpload(1, 'Content-Length: 9999');
    await requests.beginUpload(2, 'Content-Length: 9999');
    const waiting = tryUpload(3);
    await untilOneWaits();
    one.destroy();
    expect((await waiting).status).toBe(201);
  });

  it('has a Content-Length at once, and for a body in chunks that of a small one', async () => {
    const chunked = await requests.beginUpload(1, 'Transfer-Encoding: chunked');
    await requests.beginUpload(2, 'Content-Length: 4000');
    expect(await reservedBytes()).toBe(14_000);
    chunked.write(chunk(' '.repeat(10_001)));
    await until('only the other body is counted', async () => (await reservedBytes()) === 4_000);
  });

  it('releases a body when the response is sent', async () => {
    const padded = BODY.padEnd(9_999);
    for (let round = 0; round < 5; round += 1) {
      const socket = await requests.beginUpload(1, 'Content-Length: 9999', 'Connection: close');
      socket.write(padded);
      expect(parseRaw(await text(socket)).status).toBe(201);
    }
  });

  it('releases a body while its request waits for the index because of Prefer: wait, and counts its response as unread', async () => {
    const waiting = await requests.beginUpload(1, 'Content-Length: 9999', 'Prefer: wait=10');
    const responses: Buffer[] = [];
    const data = 'x'.repeat(9_000);
    const body = JSON.stringify({ creatorId: 1, name: 'x', description: '', version: 1, data });
    waiting.on('data', (response: Buffer) => responses.push(response)).write(body.padEnd(9_999));
    await until('another upload succeeds', async () => (await tryUpload()).status === 201);
    const unread = (await scrape(api.operationsUrl)).get('ugc_resource_used{resource="unread_response_bytes"}');
    expect(unread).toBeGreaterThan(data.length);
    expect(responses).toEqual([]);
  });

  it('reserves nothing for a body whose Content-Length is too large', async () => {
    await requests.beginUpload(1, 'Content-Length: 9999');
    expect((await api.client.tryUpload({ data: 'x'.repeat(20_000) })).status).toBe(413);
  });

  it('releases a body when its connection is lost', async () => {
    const socket = await requests.beginUpload(1, 'Content-Length: 9999');
    socket.write(BODY);
    expect(await reservedBytes()).toBe(9_999);
    socket.resetAndDestroy();
    await untilReleased();
  });
});

describe('slow bodies of eight users', () => {
  const api = forAllTests(() => startApiAlone({ DATABASE_POOL_SIZE: '20' }));
  const requests = openRequests(() => api.client.baseUrl);
  // They are slow for as long as the test takes, and all slots of a user are available, as while the process is not busy.
  beforeEach(() => {
    jest.spyOn(performance, 'eventLoopUtilization').mockReturnValue({ utilization: 0, active: 0, idle: 1 });
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    requests.destroy();
  });
  const reservedBytes = async () => (await scrape(api.operationsUrl)).get('ugc_resource_used{resource="upload_bytes"}') ?? NaN;

  it.each([
    ['a Content-Length', 'Content-Length: 2097000', ' '.repeat(70_000)],
    ['chunks', 'Transfer-Encoding: chunked', chunk(' '.repeat(70_000))],
  ])('with %s leave memory for large uploads of others', async (_, header, part) => {
    for (const userId of Array.from({ length: 8 }, (__, n) => 11 + n)) {
      const headers = [`Authorization: Bearer ${await tokenOf(userId)}`, 'Content-Type: application/json', header];
      for (let n = 0; n < 7; n += 1) requests.open().write(head('POST', '/content', headers) + part);
    }
    await until('each user has two bodies in memory', async () => (await reservedBytes()) >= 8 * 2 * 2_000_000);
    for (let n = 0; n < 3; n += 1) expect((await api.client.tryUpload({ data: 'x'.repeat(200_000) })).status).toBe(201);
  });
});

describe('the minimum rate of a body', () => {
  const api = forAllTests(() => startApiAlone({ BODY_MAX_BYTES: '400000' }));

  it('returns 408 for a slower body and releases its memory', async () => {
    const { hostname, port } = new URL(api.client.baseUrl);
    // The client does not close its side when the server does.
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }).on('error', () => undefined);
    const headers = [`Authorization: Bearer ${await tokenOf(1)}`, 'Content-Type: application/json', 'Content-Length: 390000'];
    socket.write(head('POST', '/content', headers) + BODY);
    const { status, headers: responseHeaders, body } = parseRaw(await text(socket));
    expect({ status, connection: responseHeaders['connection'] }).toEqual({ status: 408, connection: 'close' });
    expect(JSON.parse(body).detail).toMatch(/16384 bytes per second/);
    await until(
      'all memory is released',
      async () => (await scrape(api.operationsUrl)).get('ugc_resource_used{resource="upload_bytes"}') === 0,
    );
    socket.destroy();
  });
});

const LIMIT = 10;
const bodyOf = (userId: number): string => JSON.stringify({ creatorId: userId, name: 'x', description: '', version: 1, data: '' });
const lengthOf = (userId: number): string[] => [`Content-Length: ${bodyOf(userId).length}`, 'Connection: close'];

describe('connections', () => {
  let api: ApiAlone;
  const requests = openRequests(() => api.client.baseUrl);
  beforeEach(async () => {
    api = await startApiAlone({ CONNECTIONS_MAX: String(LIMIT) });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    requests.destroy();
    await api.stop();
  });

  const openMany = (count: number): Socket[] => Array.from({ length: count }, () => requests.open());
  const insertUsers = async (): Promise<number[]> => {
    const insert = `insert into users (username, credential) select n, n from generate_series(1, $1::int) n returning user_id`;
    return (await api.database.query<{ userId: number }>(insert, [LIMIT])).map((row) => row.userId);
  };
  const gauge = async (name: string) => (await scrape(api.operationsUrl)).get(name) ?? NaN;
  const used = () => gauge('ugc_resource_used{resource="connections"}');
  /** @returns the response to a health check on this connection; undefined when the connection is closed instead */
  async function checkHealth(socket: Socket): Promise<string | undefined> {
    socket.write(head('GET', '/health/live'));
    const responded = once(socket, 'data').then(([bytes]) => String(bytes));
    return Promise.race([responded, once(socket, 'close').then(() => undefined)]);
  }

  it('are closed at the limit for new clients, the one with the longest idle time first', async () => {
    const kept = openMany(LIMIT - 1);
    for (const socket of kept) expect(await checkHealth(socket)).toMatch(/connection: keep-alive/i);
    openMany(LIMIT - kept.length);
    await until('they are open', async () => (await used()) === LIMIT);
    expect(await checkHealth(requests.open())).toMatch(/200 OK/);
    await until('the connection with the longest idle time is closed', () => kept[0]?.destroyed || kept[0]?.readableEnded || false);
    expect(await gauge('ugc_http_connections_dropped_total')).toBeGreaterThan(0);
  });

  it('on which a request arrives slowly are closed at the limit like idle ones, before the time for a header is over', async () => {
    const slow = openMany(LIMIT);
    const received: string[] = [];
    for (const socket of slow) socket.on('data', (bytes: Buffer) => received.push(bytes.toString()));
    const closed = Promise.race(slow.map((socket) => once(socket, 'close')));
    for (const socket of slow) socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
    await until('they are open', async () => (await used()) === LIMIT);
    expect(await checkHealth(requests.open())).toMatch(/200 OK/);
    await closed;
    // After the time for a header, it would be 408.
    expect(received).toEqual([]);
  });

  it('at the limit that have not sent a request are closed for a new client, the oldest first', async () => {
    const silent = openMany(LIMIT);
    await until('they are open', async () => (await used()) === LIMIT);
    const closed: number[] = [];
    for (const [n, socket] of silent.entries()) socket.once('close', () => closed.push(n));
    for (let n = 0; n < 3; n += 1) expect(await checkHealth(requests.open())).toMatch(/200 OK/);
    await until('the oldest is closed', () => closed.length > 0);
    expect(closed[0]).toBe(0);
    expect(await gauge('ugc_http_connections_dropped_total')).toBeGreaterThan(0);
  });

  it('with an active request are never closed, and new ones beyond the limit are dropped', async () => {
    // One user each: while the event loop is busy, a user has fewer slots, and further uploads would wait.
    const users = await insertUsers();
    // On a slow machine, the bodies would come too late.
    jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    const uploads = await Promise.all(users.map((userId) => requests.beginUpload(userId, ...lengthOf(userId))));
    const responses = uploads.map((socket) => text(socket));
    expect(await checkHealth(requests.open())).toBeUndefined();
    // No connection is idle, so none can be closed.
    expect(await checkHealth(requests.open())).toBeUndefined();
    for (const [n, socket] of uploads.entries()) socket.write(bodyOf(users[n] ?? NaN));
    for (const response of responses) expect(parseRaw(await response).status).toBe(201);
  });

  it('at the limit do not affect the operations port', async () => {
    openMany(LIMIT);
    await until('they are open', async () => (await used()) === LIMIT);
    expect((await fetch(`${api.operationsUrl}/health/live`)).status).toBe(200);
  });
});
