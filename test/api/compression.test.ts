import { beforeAll, describe, expect, it } from '@jest/globals';
import { responseCompression } from '@ugc/api/limits/response-compression';
import { Shares } from '@ugc/api/limits/shares';
import { UnreadResponses } from '@ugc/api/limits/unread-responses';
import Koa from 'koa';
import { once } from 'node:events';
import { IncomingMessage, request as sendRequest, ServerResponse, type IncomingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { png } from '../support/database/images.ts';
import { storeContent } from '../support/database/stored-content.ts';
import { openRequests } from '../support/http/open-requests.ts';
import { head } from '../support/http/raw-http.ts';
import { scrape } from '../support/http/scrape.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { startService } from '../support/processes/service.ts';

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
    const response = await get('/api/content', header === undefined ? {} : accepting(header));
    expect(response).toMatchObject({
      status: 200,
      headers: { vary: 'Accept-Encoding', 'content-type': 'application/json; charset=utf-8' },
    });
    expect(response.headers['content-encoding']).toBe(encoding);
    expect(Number(response.headers['content-length'])).toBe(response.bytes.length);
    expect(JSON.parse(decoded(response).toString())).toMatchObject({ totalElements: 44 });
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
    const response = await get('/api/content', { ...accepting('gzip'), range: 'bytes=0-9' });
    expect(response).toMatchObject({ status: 200, headers: { 'content-encoding': 'gzip' } });
    expect(JSON.parse(decoded(response).toString()).totalElements).toBeGreaterThan(40);
  });

  it('is never compressed with COMPRESS_RESPONSES=false', async () => {
    const other = await startApiAlone({ COMPRESS_RESPONSES: 'false' });
    const id = await other.client.upload({ data: 'x'.repeat(2_000) });
    const { headers } = await send(other.client.baseUrl, `/api/content/${id}`, accepting('gzip, br'));
    await other.stop();
    expect(headers).toMatchObject({ etag: expect.stringMatching(/^"/) });
    for (const name of ['content-encoding', 'vary']) expect(headers).not.toHaveProperty(name);
  });
});

describe('compressed responses', () => {
  const api = forAllTests(() => startApiAlone());
  const requests = openRequests(() => api.client.baseUrl);

  it('that are not read are counted with their compressed bytes', async () => {
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

describe('the compression of a response', () => {
  const create = () => {
    const traffic = { unread: new UnreadResponses(1e6), rendering: new Shares({ user: 1, process: 1 }) };
    return { traffic, compress: responseCompression({ env: { COMPRESS_RESPONSES: true }, traffic }) };
  };
  const contextOf = (body: Buffer, encoding: string, limitKey = 1) => {
    const req = Object.assign(new IncomingMessage(new Socket()), { headers: accepting(encoding) });
    const ctx = new Koa().createContext(req, new ServerResponse(req));
    return Object.assign(ctx, { body, state: { requestId: '', user: { userId: limitKey, limitKey } } });
  };
  const NEVER = new AbortController().signal;

  it.each([2_000, 50_000, 500_000])('of %i bytes that several requests share is made once for each encoding', async (bytes) => {
    const { compress } = create();
    const body = Buffer.alloc(bytes, 'x');
    const contexts = ['gzip', 'br', 'gzip', 'br'].map((encoding, userId) => contextOf(body, encoding, userId));
    await Promise.all(contexts.map((ctx) => compress(ctx, NEVER)));
    const [gzip, br, ...others] = contexts.map((ctx) => ctx.body);
    expect([others[0] === gzip, others[1] === br, gzip === br]).toEqual([true, true, false]);
  });

  it('waits for its turn if the response is large, counts its memory meanwhile, and ends when the client leaves', async () => {
    const { compress, traffic } = create();
    const other = traffic.rendering.take(2, 1);
    const leaving = new AbortController();
    const [left, stays] = [1, 1].map((limitKey) => contextOf(Buffer.alloc(400_000, 'x'), 'gzip', limitKey));
    const compressing = [compress(left as never, leaving.signal), compress(stays as never, NEVER)];
    expect(traffic.unread.bytes.used).toBe(800_000);
    leaving.abort(new Error('the client has left'));
    await expect(compressing[0]).rejects.toThrow('has left');
    expect(traffic.unread.bytes.used).toBe(400_000);
    other.release();
    await compressing[1];
    expect(stays?.response.get('Content-Encoding')).toBe('gzip');
    expect([traffic.unread.bytes.used, traffic.rendering.used]).toEqual([0, 0]);
  });
});
