import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

describe('the web page', () => {
  const api = forAllTests(() => startApiAlone({ JWT_USER_CLAIM: 'uid"><script>', THUMBNAIL_MAX_BYTES: '1234' }));
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

  it('names its script, its styles and its icon by their content, and browsers keep them', async () => {
    expect(assets()).toEqual([
      expect.stringMatching(/^\/assets\/icon-\w{12}\.svg$/),
      expect.stringMatching(/^\/assets\/page-\w{12}\.css$/),
      expect.stringMatching(/^\/assets\/page-\w{12}\.js$/),
    ]);
    for (const path of assets()) {
      const { status, headers } = await get(path);
      expect({ path, status, caching: headers.get('cache-control') }).toEqual({
        path,
        status: 200,
        caching: 'public, max-age=31536000, immutable',
      });
    }
  });

  it('is not sent again while it has not changed', async () => {
    const { headers } = await get('/');
    expect((await get('/', { 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304);
  });

  it('contains the settings that it needs, escaped, and no others', () => {
    expect(html).toContain('data-user-claim="uid&quot;>&lt;script>"');
    expect([...html.matchAll(/ data-([\w-]+)=/g)].map(([, name]) => name)).toEqual([
      'user-claim',
      'data-max-characters',
      'thumbnail-max-bytes',
      'thumbnail-max-side',
    ]);
  });

  it('supports GET and HEAD only', async () => {
    const response = await api.client.request('POST', '/');
    expect({ status: response.status, allow: response.headers.get('allow') }).toEqual({ status: 405, allow: 'GET, HEAD' });
  });

  it('does not exist with WEB_PAGE=false', async () => {
    const other = await startApiAlone({ WEB_PAGE: 'false' });
    for (const path of ['/', ...assets()]) expect((await other.client.request('GET', path)).status).toBe(403);
    await other.stop();
  });
});
