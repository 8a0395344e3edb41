import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { INDEX_BODY } from '@ugc/shared/contracts/content-index';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { once } from 'node:events';
import { request as sendRequest, type IncomingMessage, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { seededFractions } from '../relevance/random.ts';
import { ChaosProxy } from '../support/cluster/chaos-proxy.ts';
import { png } from '../support/database/images.ts';
import { storeContent } from '../support/database/stored-content.ts';
import { openRequests, head } from '../support/http/raw-http.ts';
import { scrape } from '../support/http/scrape.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { long, runs } from '../support/jest/long.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';
import { startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import { startService, type Service } from '../support/processes/service.ts';

describe('unread responses of a user', () => {
  const api = forAllTests(() => startApiAlone({ PAGE_MAX_BYTES: '10000000' }));
  let path: string;
  beforeAll(async () => {
    // On a slow machine, an upload of this size could take longer than the API lets a statement run.
    path = `/api/content/${(await storeContent(api.database, [{ data: 'ü'.repeat(4_000_000) }]))[0]}`;
  });
  const requests = openRequests(() => api.client.baseUrl);

  async function requestWithoutReading(userId = 1): Promise<void> {
    requests
      .open()
      .pause()
      .write(head('GET', path, [`Authorization: Bearer ${await tokenOf(userId)}`]));
  }
  const used = async (resource: string) => (await scrape(api.operationsUrl)).get(`ugc_resource_used{resource="${resource}"}`) ?? NaN;

  /** On a slow machine PostgreSQL may time out for some of the large reads, so this repeats them. */
  async function isLimitReached(): Promise<boolean> {
    if ((await used('active_requests_of_one_user')) === 0) await requestWithoutReading();
    return (await api.client.get('/api/content/999')).status === 429;
  }

  it('are limited: further requests are 429 until they are read or closed, and other users are served', async () => {
    await until('the limit is reached', isLimitReached);
    expect(Number((await api.client.get('/api/content/999')).headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await api.client.get('/api/content/999', 2)).status).toBe(404);
    requests.destroy();
    await until('requests succeed again', async () => (await api.client.get('/api/content/999')).status === 404);
    await until('no response is unread', async () => (await used('unread_response_bytes')) === 0);
  });
});

const DATA = 'ü'.repeat(50_000);

describe('large pages', () => {
  let service: Service;
  beforeAll(async () => {
    // A page of all items takes 1 MB. Four of the largest pages are made at a time, and as much may be unread.
    service = await startService({ PAGE_MAX_BYTES: '2500000' });
    for (let n = 0; n < 10; n += 1) await service.client.upload({ name: `item ${n}`, data: DATA });
    await service.indexed();
  });
  afterAll(() => service.stop());

  const list = (userId: number, size = 10) => service.client.get(`/api/content?size=${size}&sort=contentId`, userId);
  const used = async (resource: string) => (await scrape(service.operationsUrl)).get(`ugc_resource_used{resource="${resource}"}`);
  const reservedBytes = () => used('list_bytes');

  it('contain every item and field completely', async () => {
    const { status, body } = await list(1);
    expect(status).toBe(200);
    expect(body).toMatchObject({ totalElements: 10, numberOfElements: 10, first: true, last: true });
    expect(body.content.map(({ name }: { name: string }) => name)).toEqual(Array.from({ length: 10 }, (_, n) => `item ${n}`));
    for (const { data } of body.content) expect(data === DATA).toBe(true);
  });

  it('of one user and of several wait for their turns, and all succeed', async () => {
    const users = [1, 1, 2, 2, 3, 4, 5, 6];
    // Equal lists would be read once.
    const responses = await Promise.all(users.map((userId, n) => list(userId, 10 + n)));
    expect(responses.map(({ status }) => status)).toEqual(users.map(() => 200));
    await until('all reserved bytes are released', async () => (await reservedBytes()) === 0);
  });

  it('whose clients leave while they are rendered do not make those of others fail', async () => {
    for (let round = 0; round < runs(2, 8); round += 1) {
      const leaving = new AbortController();
      const headers = { authorization: `Bearer ${await tokenOf(1)}` };
      const url = `${service.client.baseUrl}/api/content?size=${30 + round}`;
      const left = fetch(url, { headers, signal: leaving.signal }).catch(() => undefined);
      const others = { areRead: false, responses: Promise.all([2, 3, 4].map((userId) => list(userId, 10 + userId))) };
      void others.responses.finally(() => (others.areRead = true));
      // On a busy machine all pages may be rendered between two looks.
      await until('a page is rendered', async () => others.areRead || ((await used('threads')) ?? 0) > 0);
      leaving.abort();
      await left;
      expect((await others.responses).map(({ status }) => status)).toEqual([200, 200, 200]);
    }
    await until('no page is rendered', async () => (await used('threads')) === 0);
  });

  it('that exceed PAGE_MAX_BYTES return 400 and release their bytes', async () => {
    for (let n = 10; n < 26; n += 1) await service.client.upload({ name: `item ${n}`, data: DATA });
    await service.indexed();
    const response = await service.client.get('/api/content?size=40', 1);
    expect(response).toMatchObject({ status: 400, body: { errors: [{ parameter: 'size' }] } });
    await until('all reserved bytes are released', async () => (await reservedBytes()) === 0);
  });
});

type Received = { status: number; headers: IncomingHttpHeaders; bytes: Buffer };

/** Sends a request of user 1 and leaves the body as it is sent; fetch would decompress it. */
async function send(baseUrl: string, path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Received> {
  const authorization = `Bearer ${await tokenOf(1)}`;
  const sent = sendRequest(`${baseUrl}${path}`, { method, headers: { authorization, ...headers } }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, bytes: await buffer(response) };
}

const decoded = ({ headers, bytes }: Received): Buffer => {
  const encoding = headers['content-encoding'];
  if (encoding === 'br') return brotliDecompressSync(bytes);
  return encoding === 'gzip' ? gunzipSync(bytes) : bytes;
};

const accepting = (encoding: string): Record<string, string> => ({ 'accept-encoding': encoding });

describe('a response', () => {
  const service = forAllTests(() => startService());
  let [small, large]: number[] = [];
  beforeAll(async () => {
    const items = Array.from({ length: 40 }, (_, n) => ({ name: `lighthouse ${n}`, tags: [`tag ${n}`], description: `${n} `.repeat(500) }));
    await storeContent(service.database, items);
    const data = Array.from({ length: 60_000 }, (_, n) => (n * 7_919).toString(36)).join(' ');
    for (let n = 0; n < 3; n += 1) large = await service.client.upload({ name: 'large', data: data.slice(n, n + 250_000) });
    small = await service.client.upload({ name: 'small', thumbnail: png().toString('base64') });
    await service.indexed();
  });

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') => send(service.client.baseUrl, path, headers, method);

  it.each([
    [undefined, undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['GZip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, br;q=0.9', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['gzip;q=0, br;q=0', undefined],
    ['identity', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0, gzip;q=0.1', 'gzip'],
    ['deflate, zstd, x-gzip', undefined],
    ['gzip;q=many', undefined],
  ])('to Accept-Encoding: %s has the encoding %s, and says that it depends on the header', async (header, encoding) => {
    const response = await get('/api/content?prompt=lighthouse', header === undefined ? {} : accepting(header));
    expect(response).toMatchObject({
      status: 200,
      headers: { vary: 'Accept-Encoding', 'content-type': 'application/json; charset=utf-8' },
    });
    expect(response.headers['content-encoding']).toBe(encoding);
    expect(Number(response.headers['content-length'])).toBe(response.bytes.length);
    expect(JSON.parse(decoded(response).toString())).toMatchObject({ totalElements: 40 });
  });

  it('to an Accept-Encoding of more than 1,000 characters is not compressed', async () => {
    const { status, headers } = await get('/api/content?prompt=lighthouse', accepting(`gzip${', x'.repeat(400)}`));
    expect([status, headers['content-encoding']]).toEqual([200, undefined]);
  });

  it.each([
    ['a list of 6 kB', () => '/api/content?size=10&prompt=lighthouse'],
    ['a list of 60 kB', () => '/api/content?size=40&prompt=lighthouse'],
    ['a list of 750 kB', () => '/api/content?size=3&prompt=large'],
    ['facets', () => '/api/content/facets?facets=tags'],
    ['an item of 250 kB', () => `/api/content/${large}`],
  ])('has the same content in each encoding: %s', async (_, path) => {
    const plain = await get(path());
    for (const encoding of ['gzip', 'br']) {
      const response = await get(path(), accepting(encoding));
      expect(response.headers['content-encoding']).toBe(encoding);
      expect(response.bytes.length).toBeLessThan(plain.bytes.length * 0.8);
      expect(decoded(response).equals(plain.bytes)).toBe(true);
    }
  });

  it('of many clients at once is complete for each', async () => {
    const plain = await get('/api/content?size=3&prompt=large');
    const encodings = ['gzip', 'br', 'identity', 'gzip', 'br', 'identity', 'gzip', 'br'];
    const responses = await Promise.all(encodings.map((encoding) => get('/api/content?size=3&prompt=large', accepting(encoding))));
    expect(responses.map(({ headers }) => headers['content-encoding'] ?? 'identity')).toEqual(encodings);
    for (const response of responses) expect(decoded(response).equals(plain.bytes)).toBe(true);
  });

  it('below 1 KiB is not compressed, unless the client refuses it uncompressed', async () => {
    const response = await get(`/api/content/${small}`, accepting('gzip'));
    expect(response.headers).toMatchObject({ vary: 'Accept-Encoding', etag: expect.stringMatching(/^"\d+\.\d+"$/) });
    expect(response.headers).not.toHaveProperty('content-encoding');
    const refused = await get(`/api/content/${small}`, accepting('gzip, identity;q=0'));
    expect(refused.headers['content-encoding']).toBe('gzip');
    expect(decoded(refused).equals(response.bytes)).toBe(true);
  });

  it('has a weak entity tag if it is compressed, which edits and cached copies can name', async () => {
    const id = await service.client.upload({ name: 'tagged', data: 'x'.repeat(2_000) });
    const { etag: strong = '' } = (await get(`/api/content/${id}`)).headers;
    const { etag: weak = '' } = (await get(`/api/content/${id}`, accepting('gzip'))).headers;
    expect(strong).toMatch(/^"\d+\.\d+"$/);
    expect(weak).toBe(`W/${strong}`);
    const edited = await service.client.send('PATCH', `/api/content/${id}`, { name: 'renamed' }, 1, { 'if-match': weak });
    expect(edited.status).toBe(200);
    expect(edited.headers.get('etag')).toMatch(/^W\/"\d+\.\d+"$/);
    const again = await service.client.send('PATCH', `/api/content/${id}`, { name: 'again' }, 1, { 'if-match': weak });
    expect(again.status).toBe(412);
    // The other tests compare two responses.
    await service.indexed();
  });

  it.each(['gzip', 'br', 'identity'])('of a cached copy in %s is 304 with the tag of the copy', async (encoding) => {
    const { etag = '' } = (await get(`/api/content/${large}`, accepting(encoding))).headers;
    const response = await get(`/api/content/${large}`, { ...accepting(encoding), 'if-none-match': etag });
    expect(response).toMatchObject({ status: 304, headers: { etag, vary: 'Accept-Encoding' }, bytes: Buffer.alloc(0) });
    expect(response.headers).not.toHaveProperty('content-encoding');
  });

  it.each(['gzip', 'br', 'identity'])('to HEAD has the headers of GET in %s, and no body', async (encoding) => {
    for (const path of ['/api/content', `/api/content/${large}`, `/api/content/${small}`]) {
      const [got, asked] = [await get(path, accepting(encoding)), await get(path, accepting(encoding), 'HEAD')];
      const { 'x-request-id': _, date: _date, ...headers } = got.headers;
      expect(asked).toMatchObject({ status: 200, headers, bytes: Buffer.alloc(0) });
    }
  });

  it.each([
    ['an error', () => `/api/content?${'unknown=1&sort=size&'.repeat(50)}size=0`, 400],
    ['an unknown id', () => '/api/content/999999', 404],
    ['a thumbnail', () => `/api/content/${small}/thumbnail`, 200],
    ['the state of the service', () => '/health/live', 200],
  ])('that is %s is not compressed', async (_, path, status) => {
    const response = await get(path(), accepting('gzip, br'));
    expect(response.status).toBe(status);
    expect(response.headers).not.toHaveProperty('content-encoding');
  });

  it('without a body stays without one', async () => {
    const response = await get(`/api/content/${small}/rating`, accepting('gzip'), 'DELETE');
    expect(response).toMatchObject({ status: 204, bytes: Buffer.alloc(0) });
    expect(response.headers).not.toHaveProperty('content-encoding');
  });

  it('to a request for a range is complete', async () => {
    const response = await get('/api/content?prompt=lighthouse', { ...accepting('gzip'), range: 'bytes=0-9' });
    expect(response).toMatchObject({ status: 200, headers: { 'content-encoding': 'gzip' } });
    expect(JSON.parse(decoded(response).toString()).totalElements).toBe(40);
  });
});

describe('compressed responses', () => {
  const api = forAllTests(() => startApiAlone());
  const requests = openRequests(() => api.client.baseUrl);

  long.it('that are not read are counted with their compressed bytes', async () => {
    // Random characters of three bytes, of which compression leaves more than the buffers of a connection take.
    const data = Array.from({ length: 2_500_000 }, () => String.fromCharCode(0x4e00 + Math.floor(Math.random() * 16_384))).join('');
    const path = `/api/content/${(await storeContent(api.database, [{ data }]))[0]}`;
    const used = async (resource: string) => (await scrape(api.operationsUrl)).get(`ugc_resource_used{resource="${resource}"}`);
    const unread = () => used('unread_response_bytes');
    let compressed = NaN;
    // On a slow machine PostgreSQL may time out for a large read, so this repeats them.
    await until('the item is read', async () => {
      const { status, bytes } = await send(api.client.baseUrl, path, accepting('gzip'));
      compressed = bytes.length;
      return status === 200 && (await unread()) === 0;
    });
    expect(compressed).toBeLessThan(7_400_000);
    const headers = [`Authorization: Bearer ${await tokenOf(1)}`, 'Accept-Encoding: gzip'];
    await until('the compressed response is unread', async () => {
      const bytes = (await unread()) ?? 0;
      if (bytes > 0 && bytes % compressed === 0) return true;
      if ((await used('active_requests_of_one_user')) === 0)
        requests
          .open()
          .pause()
          .write(head('GET', path, headers));
      return false;
    });
    requests.destroy();
    await until('nothing is unread', async () => (await unread()) === 0);
  });
});

describe('requests whose clients disconnect', () => {
  const service = forAllTests(() => startService({ PAGE_MAX_BYTES: '10000000', CONNECTIONS_MAX: '2000' }));
  beforeAll(async () => {
    for (let n = 0; n < 20; n += 1) await service.client.upload({ name: `large ${n}`, data: 'ü'.repeat(200_000) });
    await service.indexed();
  });
  const requests = openRequests(() => service.client.baseUrl);

  const RESOURCES = [
    'upload_bytes',
    'list_bytes',
    'deep_pages',
    'index_waiters',
    'unread_response_bytes_of_one_user',
    'active_requests_of_one_user',
    'active_lists_of_one_user',
    'active_suggestions_of_one_user',
    'waiting_requests_of_one_user',
  ];
  async function usedResources(): Promise<Record<string, number>> {
    const metrics = await scrape(service.operationsUrl);
    return Object.fromEntries(RESOURCES.map((name) => [name, metrics.get(`ugc_resource_used{resource="${name}"}`) ?? NaN]));
  }
  const UNUSED = Object.fromEntries(RESOURCES.map((name) => [name, 0]));
  async function expectAllReleased(): Promise<void> {
    let used: Record<string, number> = {};
    const allReleased = async (): Promise<boolean> => isDeepStrictEqual((used = await usedResources()), UNUSED);
    // The final comparison shows which resource is not released.
    await until('all resources are released', () => allReleased().catch(() => false)).catch(() => undefined);
    expect(used).toEqual(UNUSED);
  }

  async function requestKinds(): Promise<string[]> {
    const authorization = `Authorization: Bearer ${await tokenOf(1)}`;
    const body = JSON.stringify({ creatorId: 1, name: 'x', description: '', version: 1, data: 'y'.repeat(3_000), tags: ['a'] });
    const json = (method: string, path: string, text: string, ...more: string[]): string =>
      head(method, path, [authorization, 'Content-Type: application/json', `Content-Length: ${text.length}`, ...more]) + text;
    const get = (path: string): string => head('GET', path, [authorization]);
    return [
      get('/api/content?size=20'),
      get('/api/content?prompt=large&size=20&sort=relevance'),
      get('/api/content?page=1000&size=20'),
      get('/api/content?page=-1'),
      get('/api/content/suggest?prompt=la'),
      get('/api/content/suggest?prompt=lagre'),
      get('/api/content/1'),
      get('/api/content/1/thumbnail'),
      get('/api/content/1/index-status'),
      json('POST', '/content', body),
      json('POST', '/content', body, 'Prefer: wait=10'),
      json('POST', '/content', body.replace('"x"', '7')),
      json('POST', '/content', 'x'.repeat(3_000_000)),
      json('PATCH', '/api/content/1', '{"name":"edited"}', 'Prefer: wait=5'),
      json('PUT', '/api/content/2/rating', '{"score":3}'),
      get('/api/content/2/rating'),
      json('POST', '/api/content/3/downloads', ''),
      head('GET', '/api/content'),
    ];
  }

  it('release all bounded resources: hundreds of requests of all kinds, abandoned at random times', async () => {
    const random = seededFractions(20261122);
    const all = await requestKinds();
    const oneRequest = async (): Promise<void> => {
      const request = all[Math.floor(random() * all.length)] ?? '';
      const socket = requests.open();
      const sent = random() < 0.3 ? request.slice(0, Math.ceil(request.length * random())) : request;
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      socket.write(sent);
      if (random() < 0.3) socket.pause();
      setTimeout(() => (random() < 0.5 ? socket.destroy() : socket.resetAndDestroy()), random() * 150);
      await closed;
    };
    const client = async (): Promise<void> => {
      for (let n = 0; n < runs(10, 50); n += 1) await oneRequest();
    };
    await Promise.all(Array.from({ length: 20 }, client));
    await expectAllReleased();
  });

  it('do not count as unread responses, so that a user who abandons lists can request further ones', async () => {
    const list = head('GET', '/api/content?size=20', [`Authorization: Bearer ${await tokenOf(2)}`]);
    for (let n = 0; n < 12; n += 1) {
      const socket = requests.open();
      socket.write(list);
      await until('it is active', async () => (await usedResources())['active_lists_of_one_user'] === 1 || socket.bytesRead > 0);
      socket.destroy();
    }
    await expectAllReleased();
    expect((await service.client.get('/api/content?size=20', 2)).status).toBe(200);
  });

  it('do not cancel an upload that is being stored', async () => {
    const stored = async () => (await service.database.query(`select 1 from content where name = 'abandoned'`)).length > 0;
    // Repeated, because the statement may time out while it waits for the lock.
    await until('it is stored', async () => {
      await abandonWhileItIsStored();
      await expectAllReleased();
      return stored();
    });
  });

  async function abandonWhileItIsStored(): Promise<void> {
    const body = JSON.stringify({ creatorId: 1, name: 'abandoned', description: '', version: 1, data: '' });
    const headers = [`Authorization: Bearer ${await tokenOf(1)}`, 'Content-Type: application/json', `Content-Length: ${body.length}`];
    await service.database.transaction(async (tx) => {
      await tx.query(`lock table content in exclusive mode`);
      const socket = requests.open();
      socket.write(head('POST', '/content', headers) + body);
      await until('it waits in PostgreSQL', async () => (await waitingStatements()) > 0);
      socket.destroy();
    });
  }

  async function waitingStatements(): Promise<number> {
    const rows = await service.database.query(
      `select 1 from pg_stat_activity where datname = current_database() and application_name like 'ugc-api%' and wait_event_type = 'Lock'`,
    );
    return rows.length;
  }
});

describe.each([
  ['a list', '/api/content?size=1', '/api/content?size=2'],
  ['a suggestion', '/api/content/suggest?prompt=l', '/api/content/suggest?prompt=li'],
])('%s whose client disconnects', (_, path, otherPath) => {
  let proxy: ChaosProxy;
  let api: ApiAlone;
  beforeAll(async () => {
    proxy = await ChaosProxy.before(process.env['TEST_ELASTICSEARCH_URL'] ?? '');
    api = await startApiAlone({ ELASTICSEARCH_URL: proxy.url }, withoutLookups);
    // Until then, what is checked at the start may have connections too.
    await api.client.get('/health/ready');
    proxy.silence();
  });
  afterAll(async () => {
    await proxy.close();
    await api.stop();
  });

  it('is cancelled at Elasticsearch before its timeout', async () => {
    // Equal lists would be read one after the other.
    let otherIsAnswered = false;
    const other = api.client.get(otherPath).finally(() => (otherIsAnswered = true));
    await until('Elasticsearch has its search', () => proxy.swallowing === 1);
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${await tokenOf(1)}` };
    const abandoned = fetch(`${api.client.baseUrl}${path}`, { headers, signal: leaving.signal }).catch(() => undefined);
    await until('Elasticsearch has the search to be abandoned', () => proxy.swallowing === 2);
    leaving.abort();
    await abandoned;
    await until('a search is cancelled', () => proxy.swallowing === 1);
    expect(otherIsAnswered).toBe(false);
    proxy.reset();
    expect((await other).status).toBe(500);
  });

  /** Requests share the lookup of the searched index, so it is not cancelled. */
  function withoutLookups(elasticsearch: Elasticsearch): Elasticsearch {
    const index = { mappings: INDEX_BODY.mappings, settings: { index: { number_of_shards: 1 } } };
    const get = async (request: { index: string[] }) => ({
      index: { ...index, aliases: Object.fromEntries(request.index.map((alias) => [alias, {}])) },
    });
    const indices = Object.create(elasticsearch.indices, { get: { value: get } });
    return Object.create(elasticsearch, { indices: { value: indices } });
  }
});
