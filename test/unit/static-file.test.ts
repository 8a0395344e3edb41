import { describe, expect, it } from '@jest/globals';
import { respondWith, staticFile, type StaticResponse } from '@ugc/api/pages/static-file';
import { gunzipSync } from 'node:zlib';

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

const get = (file = script, headers: Record<string, string> = {}): Promise<StaticResponse> => respondWith(file, { method: 'GET', headers });

describe('a static file', () => {
  it('is sent with its media type, its encoding, and a length in bytes', async () => {
    const { status, headers, body } = await get();
    expect({ status, text: body?.toString() }).toEqual({ status: 200, text: SCRIPT });
    expect(headers).toMatchObject({
      'Content-Type': 'text/javascript; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(SCRIPT)),
      'X-Content-Type-Options': 'nosniff',
    });
    expect(headers).not.toHaveProperty('Content-Encoding');
  });

  it('is cached for a year if its path changes with its content, and else checked each time', async () => {
    expect((await get()).headers['Cache-Control']).toBe('public, max-age=31536000, immutable');
    expect((await get(page)).headers['Cache-Control']).toBe('public, no-cache');
  });

  it('has the policy of its page', async () => {
    expect((await get(page)).headers['Content-Security-Policy']).toBe("default-src 'none'");
    expect((await get()).headers).not.toHaveProperty('Content-Security-Policy');
  });

  it.each(['gzip', 'br, GZIP;q=0.5', 'deflate,gzip ; q=1'])('is compressed for a client that accepts %s', async (accepted) => {
    const { headers, body } = await get(script, { 'accept-encoding': accepted });
    expect(headers).toMatchObject({ 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding', 'Content-Length': String(body?.length) });
    expect(gunzipSync(body ?? Buffer.of()).toString()).toBe(SCRIPT);
  });

  it.each(['', 'br', 'gzip;q=0', 'gzip; q=0.000', 'xgzip', 'gzipped'])(
    'is not compressed for a client that accepts "%s"',
    async (accepted) => {
      const { headers, body } = await get(script, { 'accept-encoding': accepted });
      expect({ encoding: headers['Content-Encoding'], vary: headers['Vary'], text: body?.toString() }).toEqual({
        encoding: undefined,
        vary: 'Accept-Encoding',
        text: SCRIPT,
      });
    },
  );

  it('is compressed only if it is text', async () => {
    const { headers, body } = await get(image, { 'accept-encoding': 'gzip' });
    expect({ type: headers['Content-Type'], encoding: headers['Content-Encoding'], bytes: [...(body ?? [])] }).toEqual({
      type: 'image/png',
      encoding: undefined,
      bytes: [1, 2, 3],
    });
  });

  it('is not sent again to a client that has it', async () => {
    const { ETag: tag = '' } = (await get()).headers;
    const { status, headers, body } = await get(script, { 'if-none-match': tag });
    expect({ status, body, tag: headers['ETag'], caching: headers['Cache-Control'] }).toEqual({
      status: 304,
      body: undefined,
      tag,
      caching: 'public, max-age=31536000, immutable',
    });
    expect((await get(page, { 'if-none-match': tag })).status).toBe(200);
  });

  it('has different entity tags for its two encodings', async () => {
    const { ETag: tag = '' } = (await get()).headers;
    expect((await get(script, { 'if-none-match': tag, 'accept-encoding': 'gzip' })).status).toBe(200);
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('is not changed by %s', async (method) => {
    expect(await respondWith(script, { method, headers: {} })).toEqual({ status: 405, headers: { Allow: 'GET, HEAD' } });
  });

  it('needs an extension with a known media type', () => {
    expect(() => staticFile({ path: '/x', fileName: 'x.exe', content: '', isImmutable: true })).toThrow('x.exe has no known media type');
  });
});
