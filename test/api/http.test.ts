import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PROBLEM_KINDS } from '@ugc/items/problems/problem-kinds';
import { INDEX_BODY } from '@ugc/shared/contracts/content-index';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as sendRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { png } from '../support/database/images.ts';
import type { ApiResponse } from '../support/http/client.ts';
import { expectProblem } from '../support/http/problems.ts';
import { head, parseRaw, sendRaw, type RawResponse } from '../support/http/raw-http.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { startService } from '../support/processes/service.ts';
import { startHttpServer } from '../support/servers/http-server.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const alone = forAllTests(() => startApiAlone());

describe('over HTTP', () => {
  const service = forAllTests(() => startService());
  let token: string;
  let id: number;
  beforeAll(async () => {
    token = await tokenOf(1);
    id = await service.client.upload();
    await service.indexed();
  });

  const request = (method: string, path: string, headers: Record<string, string> = {}): Promise<ApiResponse> =>
    service.client.request(method, path, { token, headers });
  /** Sends a path unchanged; fetch would normalize it. */
  const raw = async (method: string, path: string, headers: string[] = []): Promise<RawResponse> =>
    parseRaw(
      await sendRaw(service.client.baseUrl, head(method, path, [`Authorization: Bearer ${token}`, ...headers, 'Connection: close'])),
    );

  function expectRawProblem({ status, headers, body }: RawResponse, expected: number): void {
    expect(status).toBe(expected);
    expect(headers['content-type']).toContain('application/problem+json');
    expect(JSON.parse(body)).toMatchObject({
      type: expect.stringMatching(/^\/docs#[a-z-]+$/),
      status: expected,
      title: expect.any(String),
      detail: expect.any(String),
    });
  }

  describe('a request for an unknown path', () => {
    it.each([
      '/index.html', '/assets/', '/api', '/api/', '/api/content/', '//api/content', '/api//content', '/API/content', '/api/Content', '/api/content;a=b', '/api/content.json', '/api/contents',
      '/api/content/1/', '/api/content/1/x', '/content/', '/v1/api/content', '/metrics', '/favicon.ico', '/.env', '/%61pi/content%00', '/api/content/../../etc/passwd', '/api/%2e%2e/content', '/*',
    ])('is 404 with a problem response: GET %s', async (path) => expectRawProblem(await raw('GET', path), 404)); // prettier-ignore

    it.each(['POST /api/upload', 'POST /content/', 'POST /Content', 'PUT /nowhere', 'TRACE /nowhere', 'PROPFIND /nowhere', 'OPTIONS /nowhere'])('is 404 without an Allow header: %s', async (line) => {
      const [method = '', path = ''] = line.split(' ');
      const response = await raw(method, path);
      expectRawProblem(response, 404);
      expect(response.headers).not.toHaveProperty('allow');
    }); // prettier-ignore
  });

  it.each([
    ['DELETE', '/api/content', 'HEAD, GET'],
    ['TRACE', '/api/content/suggest', 'HEAD, GET'],
    ['PROPFIND', '/health/live', 'HEAD, GET'],
    ['LINK', '/api/content/1', 'HEAD, GET, PATCH, DELETE'],
    ['GET', '/api/content/1/hidden', 'PUT, DELETE'],
    ['HEAD', '/content', 'POST'],
  ])('the supported methods of a path are listed in Allow of the 405 response to another one: %s %s', async (method, path, allow) => {
    const response = await raw(method, path);
    expect(response).toMatchObject({ status: 405, headers: { allow } });
    if (method !== 'HEAD') expectRawProblem(response, 405);
  });

  it.each([
    '0', '-1', '+1', '1.5', '1.0', '01', '1e0', '0x1', 'abc', '%00', '1%00', '%E0%A4%A', '%', '%FF', '%2e%2e', '%20', '%201', "'%20or%201=1", '1;drop', '{1}', '9007199254740991', '9007199254740992', '9007199254740993',
    '9223372036854775807', '9223372036854775808', '99999999999999999999', '1'.repeat(8_000), '%D9%A1', 'null', 'undefined', 'NaN', '00000000-0000-0000-0000-000000000000', '__proto__', 'constructor',
  ])('the invalid item id %s is 404', async (text) => expectRawProblem(await raw('GET', `/api/content/${text}`), 404)); // prettier-ignore

  it('a HEAD request gets the headers of GET without the body', async () => {
    for (const [path, status] of [['/api/content', 200], [`/api/content/${id}`, 200], ['/api/content/999999', 404], ['/api/content?size=0', 400]] as const) {
      const response = await raw('HEAD', path);
      expect(response).toMatchObject({ status, body: '' });
      expect(Number(response.headers['content-length'])).toBe(Buffer.byteLength((await request('GET', path)).text));
    } // prettier-ignore
  });

  it.each(['application/xml', 'text/html', 'application/json;q=0', '*/*'])(
    'the response is JSON for every Accept header: %s',
    async (accept) => {
      expect((await request('GET', `/api/content/${id}`, { accept })).headers.get('content-type')).toBe('application/json; charset=utf-8');
    },
  );

  it.each<[string, string, string[]]>([
    ['another forwarded host', '/api/content', ['X-Forwarded-Host: evil.test', 'X-Forwarded-Proto: https', 'X-Original-URL: /metrics']],
    ['an absolute URL as its path', 'http://evil.test/api/content', []],
    ['a forwarded host with user info', '/api/content', ['X-Forwarded-Host: evil@x']],
  ])('a request with %s gets the normal response, which does not contain the host', async (_, path, headers) => {
    const response = await raw('GET', path, headers);
    expect(response.status).toBe(200);
    expect(JSON.stringify(response)).not.toContain('evil');
    expect(response.headers).not.toHaveProperty('strict-transport-security');
  });

  it.each(['evil@x', 'a b', '<script>', ''])('the invalid Host header %j is not returned in the response', async (host) => {
    const request = head('GET', '/nowhere', [`Authorization: Bearer ${token}`, 'Connection: close']).replace(
      'Host: localhost',
      `Host: ${host}`,
    );
    const response = parseRaw(await sendRaw(service.client.baseUrl, request));
    expect([400, 404]).toContain(response.status);
    if (host) expect(JSON.stringify(response)).not.toContain(host);
  });

  describe('a request id', () => {
    it.each(['abc', 'A-b_9', 'x'.repeat(64), '0b5c3b8e-4f0a-4a53-9d5b-7a1f6a3c2d10'])(
      'of the client is used if it is safe: %s',
      async (given) => {
        const response = await request('GET', '/nowhere', { 'x-request-id': given });
        expect([response.headers.get('x-request-id'), response.body.requestId]).toEqual([given, given]);
      },
    );

    it.each(['', 'x'.repeat(65), 'x'.repeat(10_000), 'a b', 'a,b', 'é', '<script>', 'a\tb', '"; drop'])(
      'of the client is replaced if it is unsafe: %j',
      async (given) => {
        const response = await request('GET', '/nowhere', { 'x-request-id': given });
        expect(response.headers.get('x-request-id')).toMatch(UUID);
        expect(response.body.requestId).toBe(response.headers.get('x-request-id'));
      },
    );

    it('is unique for every response', async () => {
      const responses = await Promise.all(['/api/content', `/api/content/${id}`, '/health/live'].map((path) => request('GET', path)));
      const ids = responses.map(({ headers }) => headers.get('x-request-id') ?? '');
      for (const each of ids) expect(each).toMatch(UUID);
      expect(new Set(ids).size).toBe(3);
    });
  });

  describe('invalid HTTP', () => {
    const send = async (text: string): Promise<RawResponse> => parseRaw(await sendRaw(service.client.baseUrl, text));
    /** The statuses of all responses on one connection, each of which must be complete. */
    function statusesOf(responses: string): number[] {
      if (responses === '') return [];
      const { status, headers, body } = parseRaw(responses);
      const bytes = Number(headers['content-length']);
      const rest = Buffer.from(body);
      expect(rest.length).toBeGreaterThanOrEqual(bytes);
      return [status, ...statusesOf(rest.subarray(bytes).toString())];
    }
    it.each<[string, () => string, number]>([
      ['headers of 20 kB', () => head('GET', '/api/content', [`X-Filler: ${'x'.repeat(20_000)}`]), 431],
      ['2,000 headers', () => head('GET', '/api/content', Array<string>(2_000).fill('X-Filler: 1')), 431],
      ['a path of 20 kB', () => head('GET', `/api/content?prompt=${'x'.repeat(20_000)}`), 431],
      ['text that is not HTTP', () => 'hello\r\n\r\n', 400],
      ['an unknown method', () => head('FOO', '/api/content'), 400],
      ['a header without a colon', () => head('GET', '/api/content', ['X-Broken']), 400],
      ['a control character in a header', () => head('GET', '/api/content', ['X-Broken: a\u0000b']), 400],
      ['a line break in a request id', () => head('GET', '/api/content', ['X-Request-Id: a\nSet-Cookie: b']), 400],
      ['TLS', () => '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003', 400],
    ])('gets a problem response: %s', async (_, text, status) => expectRawProblem(await send(text()), status));

    it('gets its response after the complete responses to earlier requests on the connection', async () => {
      const list = head('GET', '/api/content?size=100', [`Authorization: Bearer ${await tokenOf(1)}`]);
      const [first, second] = [await sendRaw(service.client.baseUrl, `${list}garbage\r\n\r\n`), head('GET', '/health/live')];
      expect(statusesOf(first)).toEqual([200, 400]);
      expect(statusesOf(await sendRaw(service.client.baseUrl, `${second}${list}${second}garbage\r\n\r\n`))).toEqual([200, 200, 200, 400]);
    });

    it('is not handled if 16 requests of the connection wait for their responses: these are sent, then a 429', async () => {
      const live = head('GET', '/health/live');
      const handled = Array.from({ length: 16 }, () => 200);
      expect(statusesOf(await sendRaw(service.client.baseUrl, `${live.repeat(16)}garbage\r\n\r\n`))).toEqual([...handled, 400]);
      const refused = await sendRaw(service.client.baseUrl, live.repeat(100));
      expect(statusesOf(refused)).toEqual([...handled, 429]);
      expect(refused).toContain('\r\nRetry-After: 1\r\n');
    });

    it('is 400 when the Host header is missing', async () => expect((await send('GET /api/content HTTP/1.1\r\n\r\n')).status).toBe(400));
  });

  it('the readiness names each store, without a token', async () => {
    const ready = () => service.client.request('GET', '/health/ready');
    // A store that takes longer than 1 s is reported as down.
    await until('it is ready', async () => (await ready()).body.status === 'ready');
    const stores = { postgres: 'up', redis: 'up', elasticsearch: 'up' };
    expect(await ready()).toMatchObject({ status: 200, body: { status: 'ready', stores } });
  });

  it('metrics are served on the operations port only', async () => {
    expectProblem(await service.client.request('GET', '/metrics'), 403);
    expectProblem(await request('GET', '/metrics'), 404);
    const operations = await fetch(`${service.operationsUrl}/metrics`);
    expect(operations.headers.get('content-type')).toContain('text/plain');
    const text = await operations.text();
    expect(text).toMatch(/ugc_http_request_duration_seconds_count\{method="POST",route="\/content",status="201"\} 1/);
    expect((await fetch(`${service.operationsUrl}/health/live`)).status).toBe(200);
    for (const path of ['/api/content', '/openapi.json', '/docs']) expect((await fetch(service.operationsUrl + path)).status).toBe(404);
  });
});

describe('readiness', () => {
  it('is degraded with status 200 while only Elasticsearch is unavailable, because uploads succeed', async () => {
    const ready = () => alone.client.request('GET', '/health/ready');
    await until('Redis is connected', async () => (await ready()).body.stores.redis === 'up');
    expect(await ready()).toMatchObject({ status: 200, body: { status: 'degraded', stores: { postgres: 'up', elasticsearch: 'down' } } });
  });

  it('is cached, so that many requests cause few store queries', async () => {
    let queries = 0;
    const server = await startHttpServer((_, response) => {
      queries += 1;
      response.end();
    });
    const api = await startApiAlone({ ELASTICSEARCH_URL: server.url });
    await Promise.all(Array.from({ length: 50 }, () => api.client.request('GET', '/health/ready')));
    expect(queries).toBeGreaterThan(0);
    // One check per second; slow requests take longer than a second.
    expect(queries).toBeLessThan(25);
    await api.stop();
    await server.stop();
  });
});

describe('an internal error', () => {
  const api = forAllTests(() => startApiAlone({ LOG_LEVEL: 'trace' }));

  const SECRETS = { token: '', payload: 'payload-4711', name: 'name-4712', description: 'text-4713', tag: 'tag-4714', thumbnail: '', prompt: 'prompt-4715', cookie: 'cookie-4716', parameter: 'parameter-4717' }; // prettier-ignore
  const expectNoSecrets = (text: string): void => {
    for (const segment of SECRETS.token.split('.')) expect(text).not.toContain(segment);
    for (const secret of Object.values(SECRETS)) expect(text).not.toContain(secret);
    expect(text).not.toContain(api.env['JWT_SECRET']);
  };

  beforeAll(async () => {
    SECRETS.token = await tokenOf(1);
    SECRETS.thumbnail = png().toString('base64');
    const { payload, name, description, tag, thumbnail, prompt, cookie, parameter } = SECRETS;
    const alias = api.env['CONTENT_ALIAS'] ?? '';
    const send = (method: string, path: string, body?: object): Promise<ApiResponse> =>
      api.client.request(method, path, {
        token: SECRETS.token,
        headers: { cookie, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
    const upload = { creatorId: 1, name, description, version: 1, data: payload, tags: [tag], thumbnail };
    const list = (): Promise<ApiResponse> => send('GET', `/api/content?prompt=${prompt}&sort=${parameter}`);

    expect((await send('GET', '/health/live')).status).toBe(200);
    expect((await send('POST', '/content', upload)).status).toBe(201);
    expect((await send('POST', '/content', { ...upload, version: payload })).status).toBe(400);
    expect((await send('POST', '/content', { ...upload, creatorId: 2 })).status).toBe(403);
    expect((await send('GET', `/nowhere/${parameter}?prompt=${prompt}`)).status).toBe(404);
    expect((await list()).status).toBe(400);
    expect((await send('GET', `/api/content?prompt=${prompt}`)).status).toBe(500);
    await api.elasticsearch.indices.create({
      index: `${alias}-v1`,
      mappings: { properties: { deleted: { type: 'date' } } },
      aliases: { [alias]: {} },
    });
    expect((await send('GET', `/api/content?prompt=${prompt}`)).status).toBe(500);
    await api.elasticsearch.indices.delete({ index: `${alias}-v1` });
    await api.elasticsearch.indices.create({ index: `${alias}-v2`, ...INDEX_BODY, aliases: { [alias]: {} } });
    expect((await send('GET', `/api/content?prompt=${prompt}`)).status).toBe(200);
    await api.database.query(`alter table content add constraint other_name check (name <> '${name}') not valid`);
    expect((await send('POST', '/content', upload)).status).toBe(500);
    await api.database.query(`alter table content_thumbnail rename to content_thumbnails`);
    await api.database.query(`alter table content drop constraint other_name`);
    expect((await send('POST', '/content', upload)).status).toBe(500);
    await api.database.query(`alter table content rename to contents`);
    expect((await send('GET', '/api/content/1')).status).toBe(500);
  });

  it('is logged with the request id and its cause', () => {
    const failures = api.logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request failed');
    for (const { requestId } of failures) expect(requestId).toMatch(UUID);
    expect(failures.map(({ err, reason }) => typeof (err?.message ?? reason))).toEqual(Array(5).fill('string'));
  });

  it('because the alias has no index that can be searched is logged without a stack, and as a warning when that changes', () => {
    const lines = api.logged.map((line) => JSON.parse(line));
    const failures = lines.filter(({ msg, err }) => msg === 'request failed' && err === undefined);
    expect(failures.map(({ level, reason }) => [level, reason.split(' (')[0]])).toEqual([
      [30, `no index has the alias ${api.env['CONTENT_ALIAS']}`],
      [30, `the alias ${api.env['CONTENT_ALIAS']}`],
    ]);
    const changes = lines.filter(({ msg }) => ['lists cannot be answered', 'the index behind the alias can be searched'].includes(msg));
    expect(changes.map(({ level, problem }) => [level, problem])).toEqual([...failures.map(({ reason }) => [40, reason]), [30, undefined]]);
  });

  it('and every other request is logged with method, route, status and user, but for probes that succeed', () => {
    const isAboveDebug = ({ level }: { level: number }): boolean => level > 20;
    const requests = api.logged.map((line) => JSON.parse(line)).filter((line) => line.msg === 'request' && isAboveDebug(line));
    expect(requests.map(({ method, route, status, userId }) => `${method} ${route} ${status} ${userId}`)).toEqual([
      'POST /content 201 1',
      'POST /content 400 1',
      'POST /content 403 1',
      'GET none 404 1',
      'GET /api/content 400 1',
      'GET /api/content 500 1',
      'GET /api/content 500 1',
      'GET /api/content 200 1',
      'POST /content 500 1',
      'POST /content 500 1',
      'GET /api/content/:id 500 1',
    ]);
  });

  it('and all other log lines contain no token, cookie, payload, text, thumbnail or prompt', () => expectNoSecrets(api.logged.join('')));

  it('is not described in the response', async () => {
    const responses = [await api.client.get('/api/content/1'), await api.client.tryUpload({ name: 'x' })];
    for (const response of responses) {
      expectProblem(response, 500);
      expect(response.text).not.toMatch(/relation|contents|column|select|insert|postgres|at .*\.ts|node_modules|stack|ECONN/i);
    }
  });
});

const GUARDS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
const PAGE = 'https://app.example.com';
const RATES = Object.fromEntries(['LISTS', 'WRITES', 'READS'].map((what) => [`RATE_LIMIT_${what}_PER_MINUTE`, '1000000']));

describe('the security headers of responses', () => {
  const api = forAllTests(() =>
    startApiAlone({ CORS_ORIGINS: `${PAGE}, http://localhost:5173`, TRUST_PROXY: '1', BODY_MAX_BYTES: '10000', ...RATES }),
  );
  let id: number;
  beforeAll(async () => {
    id = await api.client.upload({ thumbnail: png().toString('base64') });
  });

  const headersOf = ({ headers }: ApiResponse): Record<string, string> => Object.fromEntries(headers);
  const as = (method: string, path: string, headers: Record<string, string> = {}) => api.client.send(method, path, undefined, 1, headers);

  it.each<[string, number, () => Promise<ApiResponse>]>([
    ['an item', 200, () => as('GET', `/api/content/${id}`)],
    ['an item that is not modified', 304, () => as('GET', `/api/content/${id}`, { 'if-none-match': '*' })],
    ['an upload', 201, () => api.client.tryUpload()],
    ['a change', 204, () => as('POST', `/api/content/${id}/downloads`)],
    ['a thumbnail', 200, () => as('GET', `/api/content/${id}/thumbnail`)],
    ['a request without a token', 403, () => api.client.request('GET', '/api/content')],
    ['an invalid parameter', 400, () => as('GET', '/api/content?size=0')],
    ['an unsupported method', 405, () => as('PATCH', '/api/content')],
    ['a body that is too large', 413, () => api.client.tryUpload({ data: 'x'.repeat(20_000) })],
    ['an unknown path', 404, () => as('GET', '/nowhere')],
    ['an internal error', 500, () => as('GET', '/api/content')],
    ['health', 200, () => api.client.request('GET', '/health/live')],
  ])('prevent a browser from rendering, framing or caching %s (%i)', async (_, status, call) => {
    const response = await call();
    expect(response.status).toBe(status);
    expect(headersOf(response)).toMatchObject(GUARDS);
    expect(response.headers.get('cache-control')).toMatch(/^(no-store|private, .*)$/);
    for (const name of ['server', 'x-powered-by', 'set-cookie']) expect(response.headers.has(name)).toBe(false);
  });

  it('prevent a browser from rendering or framing the OpenAPI document, which it may keep but checks each time', async () => {
    const { status, headers } = await api.client.request('GET', '/openapi.json');
    expect({ status, ...Object.fromEntries(headers) }).toMatchObject({
      status: 200,
      ...GUARDS,
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, no-cache',
    });
  });

  it('and all others have at most 3 KB together, whatever the request contains', async () => {
    // What a list may have besides: with a name, Link and Search-Correction have less than 1,050 bytes each.
    const ofQuery = 2 * 1_050;
    const long = 'щ'.repeat(700);
    const given = {
      origin: PAGE,
      'x-forwarded-proto': 'https',
      'x-request-id': 'x'.repeat(64),
      'accept-encoding': 'br',
      traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      tracestate: `a=${'x'.repeat(1_000)}`,
      prefer: `wait=${'9'.repeat(1_000)}`,
    };
    const paths = ['/', '/docs', '/docs/', '/docs/api', '/docs/api/', '/openapi.json', '/openapi.json/', '/health/live', '/content', `/${long}`];
    const ofItem = [`/api/content/${id}`, `/api/content/${id}/thumbnail`, `/api/content/${id}/rating`, `/api/content/${long}`];
    const all = [...paths, ...ofItem, '/api/content', '/api/content/facets', '/api/content/suggest', '/api/content/hidden', '/api/users/me'];
    const url = new URL(api.client.baseUrl);
    for (const path of all)
      for (const method of ['GET', 'HEAD', 'PATCH', 'OPTIONS']) {
        const target = `${encodeURI(path)}?prompt=${encodeURIComponent(long)}`;
        const sent = sendRequest({ host: url.hostname, port: url.port, method, path: target, headers: { ...given, authorization: `Bearer ${await tokenOf(1)}` } });
        const [response] = (await once(sent.end(), 'response')) as [IncomingMessage];
        const text = response.rawHeaders.map((part, at) => (at % 2 ? `${part}\r\n` : `${part}: `)).join('');
        response.resume();
        const isTooLong = text.length > 3_072 - (path.startsWith('/api/content') ? ofQuery : 0);
        expect([method, path, isTooLong ? text : '']).toEqual([method, path, '']);
      }
  }); // prettier-ignore

  it('are also sent in response to invalid HTTP', async () => {
    expect(parseRaw(await sendRaw(api.client.baseUrl, 'hello\r\n\r\n')).headers).toMatchObject({ ...GUARDS, 'cache-control': 'no-store' });
  });

  it('include Strict-Transport-Security over TLS only', async () => {
    const secure = await as('GET', '/nowhere', { 'x-forwarded-proto': 'https' });
    expect(secure.headers.get('strict-transport-security')).toBe('max-age=31536000');
    expect((await as('GET', '/nowhere')).headers.has('strict-transport-security')).toBe(false);
  });

  describe('a page of an allowed origin', () => {
    it.each(['GET', 'POST', 'PATCH', 'PUT', 'DELETE'])('gets a preflight response for %s without a token', async (method) => {
      const preflight = {
        origin: PAGE,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type',
      };
      const response = await api.client.request('OPTIONS', `/api/content/${id}`, { headers: preflight });
      expect({ status: response.status, text: response.text }).toEqual({ status: 204, text: '' });
      expect(response.headers.get('access-control-allow-origin')).toBe(PAGE);
      expect(response.headers.get('access-control-allow-methods')?.split(',')).toContain(method);
      const allowed = [
        'Authorization',
        'Content-Type',
        'Idempotency-Key',
        'If-Match',
        'If-None-Match',
        'Prefer',
        'traceparent',
        'tracestate',
      ];
      expect(response.headers.get('access-control-allow-headers')?.split(',')).toEqual(expect.arrayContaining(allowed));
      expect(response.headers.has('access-control-allow-credentials')).toBe(false);
    });

    it.each<[string, () => Promise<ApiResponse>]>([
      ['a response', () => as('GET', `/api/content/${id}`, { origin: PAGE })],
      ['a 403 response', () => api.client.request('GET', '/api/content', { headers: { origin: PAGE } })],
      ['a 500 response', () => as('GET', '/api/content', { origin: PAGE })],
    ])('may read %s and its exposed headers', async (_, call) => {
      const { headers } = await call();
      expect(headers.get('access-control-allow-origin')).toBe(PAGE);
      expect(headers.get('vary')?.split(', ')).toContain('Origin');
      expect(headers.get('access-control-expose-headers')?.split(',').sort()).toEqual(
        ['ETag', 'Link', 'Location', 'Preference-Applied', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'Search-Correction', 'Search-Ranking', 'X-Request-Id'], // prettier-ignore
      );
    });
  });

  it.each([
    'https://evil.example.com',
    'https://app.example.com.evil.test',
    'http://app.example.com',
    'null',
    'https://app.example.com:444',
  ])('a page of the origin %s gets no CORS headers, and its preflight request an error that does not ask for a token', async (origin) => {
    const preflight = await api.client.request('OPTIONS', '/content', { headers: { origin, 'access-control-request-method': 'POST' } });
    expect(expectProblem(preflight, 403, 'origin-refused').detail).not.toContain('token');
    const read = await as('GET', `/api/content/${id}`, { origin });
    for (const { headers } of [preflight, read])
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('pages get no CORS headers unless CORS_ORIGINS is set', async () => {
    const preflight = { origin: PAGE, 'access-control-request-method': 'POST' };
    const response = await alone.client.request('OPTIONS', '/content', { headers: preflight });
    expectProblem(response, 403, 'origin-refused');
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

describe('the interactive documentation', () => {
  let assets: string[];
  const get = (path: string, headers: Record<string, string> = {}): Promise<ApiResponse> => alone.client.request('GET', path, { headers });
  beforeAll(async () => {
    assets = [...(await get('/docs')).text.matchAll(/(?:href|src)="(docs\/[^"/]+\/[^"]+)"/g)].map(([, path = '']) => `/${path}`);
  });

  it('is a page that needs no token, runs scripts of its own origin only and is checked each time', async () => {
    const { status, headers } = await get('/docs');
    expect({ status, ...Object.fromEntries(headers) }).toMatchObject({
      status: 200,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'public, no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });

  it('has a section for each kind of error, to which the type of an error leads', async () => {
    const refused = await alone.client.request('GET', '/api/content');
    const [path, section] = refused.body.type.split('#');
    const { text } = await get(path);
    expect(text).toContain(`<dt id="${section}">`);
    for (const code of Object.keys(PROBLEM_KINDS)) expect(text).toContain(`<dt id="${code}"><code>${code}</code>`);
  });

  it('has relative addresses only, so that a proxy may serve it under a path of its own', async () => {
    for (const path of ['/docs', '/docs/api']) expect((await get(path)).text).not.toMatch(/(href|src)="\//);
    const script = await get(assets.find((asset) => asset.endsWith('start-swagger-ui.js')) ?? '');
    expect(script.text).not.toMatch(/['"]\/(openapi|api)/);
  });

  it('begins with a guide, before the operations', async () => {
    const { text } = await get('/docs');
    const positions = ['<h2 id="tokens">', '<h2 id="pages">', '<h2 id="errors">', 'Idempotency-Key', 'id="documentation"'].map((part) =>
      text.indexOf(part),
    );
    expect(positions.every((position) => position > 0)).toBe(true);
    expect(positions.toSorted((a, b) => a - b)).toEqual(positions);
  });

  it('has the complete reference, as a page whose links lead somewhere and as Markdown', async () => {
    const { text } = await get('/docs/api');
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href);
    expect(links.filter((href) => href.startsWith('#')).length).toBeGreaterThan(10);
    for (const href of links) expect(href.startsWith('#') ? ids.includes(href.slice(1)) : /^(\.\.\/docs\/|https:)/.test(href)).toBe(true);
    const markdown = await get('/docs/api.md');
    expect([markdown.headers.get('content-type'), markdown.text.slice(0, 5)]).toEqual(['text/markdown; charset=utf-8', '# API']);
  });

  it('consists of files that need no token, state their charset and are never asked for again', async () => {
    expect(assets.length).toBe(6);
    for (const path of assets) {
      const { status, headers } = await get(path);
      expect({ path, status, caching: headers.get('cache-control') }).toEqual({
        path,
        status: 200,
        caching: 'public, max-age=31536000, immutable',
      });
      const type = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', png: 'image/png' }[path.split('.').at(-1) ?? ''];
      expect(headers.get('content-type')).toBe(type);
    }
  });

  it('has the version of Swagger UI in the paths of its files', () => {
    const { dependencies } = JSON.parse(readFileSync(new URL('../../services/api/package.json', import.meta.url), 'utf8'));
    expect(dependencies['swagger-ui-dist']).toMatch(/^\d+\.\d+\.\d+$/);
    expect(assets).toContain(`/docs/${dependencies['swagger-ui-dist']}/swagger-ui-bundle.js`);
  });

  it.each(['/docs/x', '/docs/../package.json', '/docs/%2e%2e/package.json', '/docs/5.35.0/index.html', '/DOCS'])(
    'contains only its own files, so that %s gets the response to any other path',
    async (path) => {
      expect((await get(path)).status).toBe(403);
    },
  );

  it('sends nothing to other origins when it is installed', () => {
    const workspace = readFileSync(new URL('../../pnpm-workspace.yaml', import.meta.url), 'utf8');
    expect(workspace).toContain("'@scarf/scarf': false");
  });
});

describe('the web page', () => {
  const POLICY =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; " +
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

  const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
  const api = forAllTests(() =>
    startApiAlone({ JWT_USER_CLAIM: 'uid"><script>', THUMBNAIL_MAX_BYTES: '1234', PAGE_NAME: '<b>Q&A</b> $&' }),
  );
  let html: string;
  beforeAll(async () => {
    html = (await get('/')).text;
  });

  const get = (path: string, headers: Record<string, string> = {}) => api.client.request('GET', path, { headers });
  const assets = (): string[] => [...html.matchAll(/(?:src|href)="\.(.*?)"/g)].map(([, path = '']) => path);

  it('is served without a token, under a policy that allows no inline script, no other origin and no HTML from strings', async () => {
    const { status, headers } = await get('/?prompt=lighthouse');
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'public, no-cache',
    });
    expect(headers.has('set-cookie')).toBe(false);
  });

  it('names its scripts, its styles and its icon by their content, and browsers keep them', async () => {
    const kinds = assets().map((path) => path.replace(/^\/assets\/|-\w+(?=\.\w+$)/g, ''));
    expect([...new Set(kinds)]).toEqual(['icon.svg', 'page.js', 'page-chunk.js', 'page-en.js', 'page.css']);
    expect(assets().filter((path) => !/-(?:\w{8}|\w{12})\.\w+$/.test(path))).toEqual([]);
    const script = (
      await Promise.all(
        assets()
          .filter((path) => path.endsWith('.js'))
          .map(async (path) => (await get(path)).text),
      )
    ).join('\n');
    const later = /import\("\.(\/page-later-parts-\w{8}\.js)"\)/.exec(script)?.[1] ?? '';
    for (const path of [...assets(), `/assets${later}`]) {
      const { status, headers } = await get(path);
      expect({ path, status, caching: headers.get('cache-control') }).toEqual({
        path,
        status: 200,
        caching: 'public, max-age=31536000, immutable',
      });
    }
  });

  it.each(['/', '/docs', '/docs/api', '/nosuch'])('has the name of the service in its title, escaped: %s', async (path) => {
    const { text } = await get(path, BROWSER);
    expect(/<title>(.*)<\/title>/.exec(text)?.[1]).toContain('&lt;b&gt;Q&amp;A&lt;/b&gt; $&amp;');
    expect(text).not.toContain('<b>Q');
    if (path === '/docs') expect(text).toContain('&lt;b&gt;Q&amp;A&lt;/b&gt; $&amp;: API</h1>');
  });

  it('contains the settings that it needs, escaped, and no others', () => {
    expect(html).toContain('data-user-claim="uid&quot;&gt;&lt;script&gt;"');
    expect([...html.matchAll(/ data-([\w-]+)=/g)].map(([, name]) => name)).toEqual([
      'name',
      'user-claim',
      'name-claim',
      'scope-claim',
      'data-max-characters',
      'thumbnail-max-bytes',
      'thumbnail-max-side',
    ]);
  });

  it.each([
    ['/nosuch', './'],
    ['/no/such/page', './../../'],
  ])('leads browsers from a path that does not exist to the collection, also behind a prefix: %s', async (path, up) => {
    const { status, text, headers } = await get(path, BROWSER);
    expect(status).toBe(404);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('vary')).toContain('Accept');
    expect(text).toContain(`<a href="${up}">`);
    expect((await get(`${path}%3Cscript%3E`, BROWSER)).text).not.toContain('script');
  });

  it.each<[string, string, Record<string, string>, number]>([
    ['another client', '/nosuch', { Accept: '*/*' }, 403],
    ['a client that says nothing of types', '/nosuch', {}, 403],
    ['a client that prefers JSON', '/nosuch', { Accept: 'text/html;q=0.9, application/json' }, 403],
    ['a client that accepts more than a browser', '/nosuch', { Accept: `text/html,${'",'.repeat(500)}` }, 403],
    ['a path of the API', '/api/content/1', BROWSER, 403],
    ['a path that the API could have', '/api/nosuch', BROWSER, 403],
    ['a path that only takes uploads', '/content', BROWSER, 403],
  ])('leaves the response as it is for %s', async (_, path, headers, status) => {
    const response = await get(path, headers);
    expect([response.status, response.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
  });

  describe('of an operator', () => {
    const folder = mkdtempSync(join(tmpdir(), 'logo-'));
    afterAll(() => rmSync(folder, { recursive: true }));

    it('has their logo, colour, links and words, and needs no more than its own origin for them', async () => {
      const PAGE_LINKS = JSON.stringify({ imprint: 'https://example.com/?a=1&b="', report: 'https://example.com/report?item={id}' });
      const PAGE_LOGO = join(folder, 'logo');
      writeFileSync(PAGE_LOGO, '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
      const own = await startApiAlone({ PAGE_LOGO, PAGE_LINKS, PAGE_ABOUT: 'Maps & <b>tools</b>', PAGE_ACCENT: '#0b6e4f' });
      const { text, headers } = await own.client.request('GET', '/', {});
      expect(headers.get('content-security-policy')).toBe(POLICY);
      expect(text).toContain('<footer class="foot"><a href="https://example.com/?a=1&amp;b=&quot;" data-text="imprint">Imprint</a>');
      expect(text).toContain(' data-about="Maps &amp; &lt;b&gt;tools&lt;/b&gt;" data-report="https://example.com/report?item={id}"');
      const [, logo = ''] = / data-logo="\.(.*?)"/.exec(text) ?? [];
      expect(text).toContain(`<link rel="icon" href=".${logo}">`);
      const picture = await own.client.request('GET', logo, {});
      expect(picture.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
      // What a browser runs of an SVG that it opens by itself: nothing.
      expect(picture.headers.get('content-security-policy')).not.toContain('script-src');
      const [, accent = ''] = /href="\.(\/assets\/accent-\w+\.css)"/.exec(text) ?? [];
      expect((await own.client.request('GET', accent, {})).text).toContain('--accent:light-dark(#0b6e4f,');
      expect(text.indexOf(accent)).toBeGreaterThan(text.indexOf('/assets/page-'));
      await own.stop();
    });
  });

  it('does not exist with WEB_PAGE=false', async () => {
    const other = await startApiAlone({ WEB_PAGE: 'false' });
    for (const path of ['/', ...assets()]) expect((await other.client.request('GET', path, { headers: BROWSER })).status).toBe(403);
    await other.stop();
  });
});
