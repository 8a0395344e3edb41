import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiEnv } from '@ugc/api/env';
import { parseEnv } from '@ugc/shared/process/env';
import { startApiAlone, type ApiAlone } from '../support/api-alone.ts';
import type { Answer } from '../support/client.ts';
import { png } from '../support/images.ts';
import { parseRaw, sendRaw } from '../support/raw-http.ts';

const GUARDS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
const PAGE = 'https://app.example.com';

describe('for browsers', () => {
  let api: ApiAlone;
  let id: number;
  beforeAll(async () => {
    api = await startApiAlone({ CORS_ORIGINS: `${PAGE}, http://localhost:5173`, TRUST_PROXY: '1', BODY_MAX_BYTES: '10000' });
    id = await api.client.upload({ thumbnail: png().toString('base64') });
  });
  afterAll(() => api.stop());

  const headersOf = ({ headers }: Answer): Record<string, string> => Object.fromEntries(headers);
  const as = (method: string, path: string, headers: Record<string, string> = {}) => api.client.send(method, path, undefined, 1, headers);

  it.each<[string, number, () => Promise<Answer>]>([
    ['an item', 200, () => as('GET', `/api/content/${id}`)],
    ['an item that is known', 304, () => as('GET', `/api/content/${id}`, { 'if-none-match': '*' })],
    ['an upload', 201, () => api.client.tryUpload()],
    ['a change', 204, () => as('POST', `/api/content/${id}/downloads`)],
    ['a thumbnail', 200, () => as('GET', `/api/content/${id}/thumbnail`)],
    ['a refusal for want of a token', 403, () => api.client.request('GET', '/api/content')],
    ['a refusal of a parameter', 400, () => as('GET', '/api/content?size=0')],
    ['a refusal of a method', 405, () => as('PATCH', '/api/content')],
    ['a refusal of a large body', 413, () => api.client.tryUpload({ data: 'x'.repeat(20_000) })],
    ['what is not there', 404, () => as('GET', '/nowhere')],
    ['what went wrong inside', 500, () => as('GET', '/api/content')],
    ['health', 200, () => api.client.request('GET', '/health/live')],
    ['the description', 200, () => api.client.request('GET', '/openapi.json')],
  ])('%s (%i) is data, and nothing that a page could be made of', async (_, status, call) => {
    const answer = await call();
    expect(answer.status).toBe(status);
    expect(headersOf(answer)).toMatchObject(GUARDS);
    expect(answer.headers.get('cache-control')).toMatch(/^(no-store|private, .*)$/);
    for (const name of ['server', 'x-powered-by', 'set-cookie']) expect(answer.headers.has(name)).toBe(false);
  });

  it('so is what is not valid HTTP', async () => {
    expect(parseRaw(await sendRaw(api.client.baseUrl, 'hello\r\n\r\n')).headers).toMatchObject({ ...GUARDS, 'cache-control': 'no-store' });
  });

  it('TLS is demanded for the future where it is in use, and only there', async () => {
    const secure = await as('GET', '/nowhere', { 'x-forwarded-proto': 'https' });
    expect(secure.headers.get('strict-transport-security')).toBe('max-age=31536000');
    expect((await as('GET', '/nowhere')).headers.has('strict-transport-security')).toBe(false);
  });

  describe('a page of an origin that may call', () => {
    it.each(['GET', 'POST', 'PATCH', 'PUT', 'DELETE'])('is told so before a %s, without a token', async (method) => {
      const asked = {
        origin: PAGE,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type',
      };
      const answer = await api.client.request('OPTIONS', `/api/content/${id}`, { headers: asked });
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' });
      expect(answer.headers.get('access-control-allow-origin')).toBe(PAGE);
      expect(answer.headers.get('access-control-allow-methods')?.split(',')).toContain(method);
      for (const name of ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'Prefer'])
        expect(answer.headers.get('access-control-allow-headers')?.split(',')).toContain(name);
      expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
    });

    it.each<[string, () => Promise<Answer>]>([
      ['an answer', () => as('GET', `/api/content/${id}`, { origin: PAGE })],
      ['a refusal', () => api.client.request('GET', '/api/content', { headers: { origin: PAGE } })],
      ['a failure', () => as('GET', '/api/content', { origin: PAGE })],
    ])('may read %s, with the headers it needs', async (_, call) => {
      const { headers } = await call();
      expect(headers.get('access-control-allow-origin')).toBe(PAGE);
      expect(headers.get('vary')).toBe('Origin');
      expect(headers.get('access-control-expose-headers')?.split(',').sort()).toEqual(
        ['ETag', 'Location', 'Preference-Applied', 'Retry-After', 'X-Request-Id'], // prettier-ignore
      );
    });

    it('needs a token for the call itself', async () => {
      expect((await api.client.request('GET', `/api/content/${id}`, { headers: { origin: PAGE } })).status).toBe(403);
    });
  });

  it.each([
    'https://evil.example.com',
    'https://app.example.com.evil.test',
    'http://app.example.com',
    'null',
    'https://app.example.com:444',
  ])('a page of %s may not call', async (origin) => {
    const preflight = await api.client.request('OPTIONS', '/content', { headers: { origin, 'access-control-request-method': 'POST' } });
    const read = await as('GET', `/api/content/${id}`, { origin });
    for (const { headers } of [preflight, read])
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('no page may call unless that is configured', async () => {
    const other = await startApiAlone();
    const asked = { origin: PAGE, 'access-control-request-method': 'POST' };
    const answer = await other.client.request('OPTIONS', '/content', { headers: asked });
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    await other.stop();
  });
});

describe('a start is refused for', () => {
  const ENV = { DATABASE_URL: 'postgres://h/d', REDIS_URL: 'redis://h', ELASTICSEARCH_URL: 'http://h', JWT_SECRET: 'x'.repeat(32) };
  it.each(['*', 'app.example.com', 'https://app.example.com/', 'https://app.example.com/path', 'https://a.test https://b.test/'])(
    'CORS_ORIGINS=%s, which is no list of origins',
    (value) => expect(() => parseEnv(ApiEnv, { ...ENV, CORS_ORIGINS: value })).toThrow(/CORS_ORIGINS: is not a list of origins/),
  );

  it('room for uploads that the largest one could never find', () => {
    expect(() => parseEnv(ApiEnv, { ...ENV, UPLOADS_IN_FLIGHT_MAX_BYTES: '2000000' })).toThrow(/UPLOADS_IN_FLIGHT_MAX_BYTES: is less than/);
  });
});
