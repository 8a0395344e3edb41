import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { startApiAlone } from '../support/processes/api-alone.ts';
import type { ApiResponse } from '../support/http/client.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

describe('the interactive documentation', () => {
  const api = forAllTests(() => startApiAlone());
  let assets: string[];
  const get = (path: string, headers: Record<string, string> = {}): Promise<ApiResponse> => api.client.request('GET', path, { headers });
  beforeAll(async () => {
    assets = [...(await get('/docs')).text.matchAll(/(?:href|src)="(\/docs\/[^"]+)"/g)].map(([, path = '']) => path);
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

  it('has the same address with a slash at its end', async () => {
    expect((await get('/docs/')).status).toBe(200);
  });

  it('consists of files that need no token, state their charset and are never asked for again', async () => {
    expect(assets.length).toBe(5);
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

  it('is sent compressed, and not again to a browser that has it', async () => {
    for (const path of ['/docs', '/openapi.json', ...assets.filter((asset) => !asset.endsWith('.png'))]) {
      const { headers } = await get(path, { 'accept-encoding': 'gzip' });
      expect({ path, encoding: headers.get('content-encoding') }).toEqual({ path, encoding: 'gzip' });
      const again = await get(path, { 'accept-encoding': 'gzip', 'if-none-match': headers.get('etag') ?? '' });
      expect(again).toMatchObject({ status: 304, text: '' });
    }
  });

  it('is described to HEAD as to GET', async () => {
    for (const path of ['/docs', ...assets]) {
      const head = await api.client.request('HEAD', path, { headers: { 'accept-encoding': 'identity' } });
      const { text: _, ...all } = await get(path, { 'accept-encoding': 'identity' });
      expect({ path, status: head.status, text: head.text }).toEqual({ path, status: 200, text: '' });
      for (const name of ['content-type', 'content-length', 'etag', 'cache-control', 'content-security-policy'])
        expect({ name, value: head.headers.get(name) }).toEqual({ name, value: all.headers.get(name) });
    }
  });

  it.each(['POST', 'PUT', 'DELETE'])('is not changed by %s', async (method) => {
    const response = await api.client.request(method, '/docs');
    expect(response).toMatchObject({ status: 405, body: { title: 'Method Not Allowed' } });
    expect(response.headers.get('allow')).toBe('GET, HEAD');
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
