import { beforeAll, describe, expect, it } from '@jest/globals';
import { ApiEnv } from '@ugc/api/env';
import { parseEnv } from '@ugc/shared/process/env';
import { startApiAlone } from '../support/processes/api-alone.ts';
import type { ApiResponse } from '../support/http/client.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { png } from '../support/database/images.ts';
import { parseRaw, sendRaw } from '../support/http/raw-http.ts';

const GUARDS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
const PAGE = 'https://app.example.com';

describe('the security headers of responses', () => {
  const api = forAllTests(() =>
    startApiAlone({ CORS_ORIGINS: `${PAGE}, http://localhost:5173`, TRUST_PROXY: '1', BODY_MAX_BYTES: '10000' }),
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
      for (const name of ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'Prefer'])
        expect(response.headers.get('access-control-allow-headers')?.split(',')).toContain(name);
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
        ['ETag', 'Location', 'Preference-Applied', 'Retry-After', 'Search-Correction', 'Search-Ranking', 'X-Request-Id'], // prettier-ignore
      );
    });

    it('needs a token for the request itself', async () => {
      expect((await api.client.request('GET', `/api/content/${id}`, { headers: { origin: PAGE } })).status).toBe(403);
    });
  });

  it.each([
    'https://evil.example.com',
    'https://app.example.com.evil.test',
    'http://app.example.com',
    'null',
    'https://app.example.com:444',
  ])('a page of the origin %s gets no CORS headers', async (origin) => {
    const preflight = await api.client.request('OPTIONS', '/content', { headers: { origin, 'access-control-request-method': 'POST' } });
    const read = await as('GET', `/api/content/${id}`, { origin });
    for (const { headers } of [preflight, read])
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('pages get no CORS headers unless CORS_ORIGINS is set', async () => {
    const other = await startApiAlone();
    const preflight = { origin: PAGE, 'access-control-request-method': 'POST' };
    const response = await other.client.request('OPTIONS', '/content', { headers: preflight });
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    await other.stop();
  });
});

describe('the configuration is not valid with', () => {
  const ENV = { DATABASE_URL: 'postgres://h/d', REDIS_URL: 'redis://h', ELASTICSEARCH_URL: 'http://h', JWT_SECRET: 'x'.repeat(32) };
  it.each(['*', 'app.example.com', 'https://app.example.com/', 'https://app.example.com/path', 'https://a.test https://b.test/'])(
    'CORS_ORIGINS=%s, which is not a list of origins',
    (value) =>
      expect(() => parseEnv(ApiEnv, { ...ENV, CORS_ORIGINS: value })).toThrow(/CORS_ORIGINS: must be a comma-separated list of origins/),
  );

  it('UPLOADS_IN_FLIGHT_MAX_BYTES less than BODY_MAX_BYTES', () => {
    expect(() => parseEnv(ApiEnv, { ...ENV, UPLOADS_IN_FLIGHT_MAX_BYTES: '2000000' })).toThrow(
      /UPLOADS_IN_FLIGHT_MAX_BYTES: must be at least BODY_MAX_BYTES/,
    );
  });
});
