import { responseCompression } from '@ugc/api/limits/response-compression';
import { Shares } from '@ugc/api/limits/shares';
import { LONG_BYTES, type Threads } from '@ugc/api/limits/threads';
import { UnreadResponses } from '@ugc/api/limits/unread-responses';
import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { tooManyUploads } from '@ugc/api/limits/traffic';
import { editsMatch } from '@ugc/items/changes/edits-match';
import { entityTag } from '@ugc/api/http/entity-tag';
import { handleErrors } from '@ugc/api/http/handle-errors';
import type { LoggedState } from '@ugc/api/http/request-log';
import { serveFiles, staticFile, type StaticFile } from '@ugc/api/http/pages/static-file';
import { createLog } from '@ugc/shared/process/log';
import { serveOperations } from '@ugc/shared/process/operations-server';
import { Connections, listen } from '@ugc/api/http/server';
import Koa from 'koa';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Registry } from 'prom-client';
import { request, IncomingMessage, ServerResponse, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { declared as declaredBy } from '../support/database/declared-fields.ts';
import { head, sendRaw } from '../support/http/raw-http.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { startHttpServer } from '../support/servers/http-server.ts';

it('of two thousand requests in one packet, few are made', async () => {
  const app = new Koa().use((ctx) => (ctx.body = 'x'));
  const env = { BIND_ADDRESS: '127.0.0.1', PORT: 0, BODY_MAX_BYTES: 1_000 };
  const server = await listen(app, { env, connections: new Connections(10), onDrop: () => undefined, log: createLog('test', 'silent') });
  let made = 0;
  const count = (): void => void made++;
  subscribe('http.server.request.start', count);
  expect(await sendRaw(`http://127.0.0.1:${server.port}`, head('GET', '/').repeat(2_000))).toContain('HTTP/1.1 429');
  unsubscribe('http.server.request.start', count);
  await server.close();
  expect(made).toBeLessThan(100);
});

describe('a static file', () => {
  const SCRIPT = 'export const letters = "äöü";\n'.repeat(100);

  const script = staticFile({ path: '/app.1.js', fileName: 'app.js', content: SCRIPT, isImmutable: true });

  const page = staticFile({
    path: '/page',
    fileName: 'page.html',
    content: '<!doctype html>',
    isImmutable: false,
    policy: "default-src 'none'",
  });

  const image = staticFile({ path: '/icon.png', fileName: 'icon.png', content: Buffer.from([1, 2, 3]), isImmutable: true });

  type Sent = { status: number | undefined; headers: IncomingHttpHeaders; body: Buffer };

  const handle = new Koa().use(serveFiles([script, page, image])).callback();
  const server = forAllTests(() => startHttpServer((received, response) => void handle(received, response)));

  function send(method: string, { path }: StaticFile, headers: Record<string, string> = {}): Promise<Sent> {
    return new Promise((resolve, reject) => {
      const sending = request(`${server.url}${path}`, { method, headers, agent: false }, (response) => {
        const toSent = (body: Buffer): Sent => ({ status: response.statusCode, headers: response.headers, body });
        buffer(response).then((body) => resolve(toSent(body)), reject);
      });
      sending.once('error', reject).end();
    });
  }

  const get = (file = script, headers: Record<string, string> = {}): Promise<Sent> => send('GET', file, headers);

  it('is sent with its media type, its encoding, and a length in bytes', async () => {
    const { status, headers, body } = await get();
    expect({ status, text: body.toString() }).toEqual({ status: 200, text: SCRIPT });
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': String(Buffer.byteLength(SCRIPT)),
      'x-content-type-options': 'nosniff',
    });
    expect(headers).not.toHaveProperty('content-encoding');
  });

  it('is cached for a year if its path changes with its content, and else checked each time', async () => {
    expect((await get()).headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await get(page)).headers['cache-control']).toBe('public, no-cache');
  });

  it('has the policy of its page', async () => {
    expect((await get(page)).headers['content-security-policy']).toBe("default-src 'none'");
    expect((await get()).headers).not.toHaveProperty('content-security-policy');
  });

  it.each(['gzip', 'br, GZIP;q=0.5', 'deflate,gzip ; q=1'])('is compressed for a client that accepts %s', async (accepted) => {
    const { headers, body } = await get(script, { 'accept-encoding': accepted });
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding', 'content-length': String(body.length) });
    expect(gunzipSync(body).toString()).toBe(SCRIPT);
  });

  it.each(['', 'br', 'gzip;q=0', 'gzip; q=0.000', 'xgzip', 'gzipped'])(
    'is not compressed for a client that accepts "%s"',
    async (accepted) => {
      const { headers, body } = await get(script, { 'accept-encoding': accepted });
      expect({ encoding: headers['content-encoding'], vary: headers['vary'], text: body.toString() }).toEqual({
        encoding: undefined,
        vary: 'Accept-Encoding',
        text: SCRIPT,
      });
    },
  );

  it('is compressed only if it is text', async () => {
    const { headers, body } = await get(image, { 'accept-encoding': 'gzip' });
    expect({ type: headers['content-type'], encoding: headers['content-encoding'], bytes: [...body] }).toEqual({
      type: 'image/png',
      encoding: undefined,
      bytes: [1, 2, 3],
    });
  });

  it('is not sent again to a client that has it', async () => {
    const { etag: tag = '' } = (await get()).headers;
    const { status, headers, body } = await get(script, { 'if-none-match': tag });
    expect({ status, body, tag: headers.etag, caching: headers['cache-control'] }).toEqual({
      status: 304,
      body: Buffer.of(),
      tag,
      caching: 'public, max-age=31536000, immutable',
    });
    expect((await get(page, { 'if-none-match': tag })).status).toBe(200);
  });

  it('has different entity tags for its two encodings', async () => {
    const { etag: tag = '' } = (await get()).headers;
    expect((await get(script, { 'if-none-match': tag, 'accept-encoding': 'gzip' })).status).toBe(200);
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('is not changed by %s', async (method) => {
    expect(await send(method, script)).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  });

  it('needs an extension with a known media type', () => {
    expect(() => staticFile({ path: '/x', fileName: 'x.exe', content: '', isImmutable: true })).toThrow('x.exe has no known media type');
  });
});

it('a 503 that a limit makes on purpose is logged with its reason, and a defect as an error with its stack', async () => {
  const logged: unknown[] = [];
  const log = {
    error: ({ err }: { err: Error }) => logged.push(err.message),
    info: ({ reason }: { reason: string }) => logged.push({ reason }),
  };
  const known = { lacksMigration: async () => false, isLogged: () => false, isStoreFailure: () => false };
  const handle = handleErrors({ log: log as never, ...known });
  for (const error of [tooManyUploads(), new Error('a defect')]) {
    const message = new IncomingMessage(new Socket());
    const ctx = new Koa<LoggedState>().createContext(message, new ServerResponse(message));
    await handle(ctx, () => Promise.reject(error));
    expect(ctx.status).toBe(error.message === 'a defect' ? 500 : 503);
  }
  expect(logged).toEqual([{ reason: expect.stringContaining('too many uploads') }, 'a defect']);
});

it('both operations ports send the security headers with metrics, liveness and errors', async () => {
  const server = await serveOperations({
    address: '127.0.0.1',
    port: 0,
    registry: new Registry(),
    isLive: () => true,
    log: createLog('test', 'silent'),
  });
  for (const [path, expected] of Object.entries({ '/metrics': 200, '/health/live': 200, '/other': 404 })) {
    const { status, headers } = await fetch(`http://127.0.0.1:${server.port}${path}`);
    expect([path, status]).toEqual([path, expected]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
  }
  await server.close();
});

const accepting = (encoding: string): Record<string, string> => ({ 'accept-encoding': encoding });

describe('the compression of a response', () => {
  const create = () => {
    const one = () => new Shares({ user: 1, process: 1 }) as Threads;
    const traffic = { unread: new UnreadResponses(2 * LONG_BYTES), threads: one(), longThread: one() };
    return { traffic, compress: responseCompression(traffic) };
  };
  const contextOf = (body: Buffer, encoding: string, limitKey = 1) => {
    const req = Object.assign(new IncomingMessage(new Socket()), { headers: accepting(encoding) });
    const ctx = new Koa().createContext(req, new ServerResponse(req));
    return Object.assign(ctx, {
      body,
      state: {
        requestId: '',
        user: { userId: limitKey, account: undefined, limitKey, mayWriteForOthers: false, mayModerate: false, mayPublish: false },
      },
    });
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
    const other = traffic.threads.take(2, 1);
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
    expect([traffic.unread.bytes.used, traffic.threads.used]).toEqual([0, 0]);
  });

  it('waits for the turn of long work only if the response is one of the largest', async () => {
    const { compress, traffic } = create();
    const other = traffic.longThread.take(2, 1);
    await compress(contextOf(Buffer.alloc(800_000, 'x'), 'gzip'), NEVER);
    const longest = compress(contextOf(Buffer.alloc(LONG_BYTES + 1, 'x'), 'gzip'), NEVER);
    expect(traffic.longThread.waitingOf(1)).toBe(1);
    other.release();
    await longest;
    expect(traffic.longThread.used).toBe(0);
  });
});

it.each([
  ['*', true],
  ['"0.1"', true],
  ['"0.999", "5.1"', true],
  ['W/"0.1"', true],
  ['"5.1", W/"0.1"', true],
  ['"0.1-gzip"', true],
  ['"t0"', false],
  ['"1.1"', false],
  ['W/"1.1"', false],
  ['w/"0.1"', false],
  ['W/0.1', false],
  ['W/"t0"', false],
  ['0.1', false],
])('If-Match: %s names an item that was never edited, or does not: %p', (header, expected) => expect(editsMatch(header, 0)).toBe(expected));

describe('the entity tag of an item', () => {
  const item = { edits: 3, revision: 7, creatorName: 'pixel_otter' };
  const tagWith = (declared?: object, downloads: 'all' | 'users' = 'all'): string =>
    entityTag(item, { downloads, ...(declared && { declared: declaredBy(declared) }) });
  const LICENCE = { licence: { type: 'keyword' } };

  it('is that of 1.0.0 for a body that 1.0.0 sends', () => expect(tagWith()).toBe('"3.702718479299083178968"'));

  it('changes with what decides which values of declared fields a body has, and with the downloads that are counted', () => {
    const tags = [
      tagWith(),
      tagWith({}),
      tagWith(LICENCE),
      tagWith({ ...LICENCE, players: { type: 'number' } }),
      tagWith({ ...LICENCE, players: { type: 'keyword' } }),
      tagWith({ licence: { type: 'keyword', many: true } }),
      tagWith({ licence: { type: 'group', of: { a: 'keyword', b: 'flag' } } }),
      tagWith({ licence: { type: 'group', of: { a: 'keyword', b: 'number' } } }),
      tagWith(undefined, 'users'),
      tagWith(LICENCE, 'users'),
    ];
    expect(new Set(tags).size).toBe(tags.length);
    for (const other of [{ label: 'Terms' }, { values: ['MIT'] }, { searched: true, facet: false, required: true }])
      expect(tagWith({ licence: { type: 'keyword', ...other } })).toBe(tagWith(LICENCE));
    for (const tag of tags) expect([tag, editsMatch(tag, 3), editsMatch(tag, 4)]).toEqual([tag, true, false]);
  });
});
