import { pngChunk } from '@ugc/api/commands/demo/png';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { gif, jpeg, png, pngOfBytes, webp } from '../support/database/images.ts';
import { expectErrors } from '../support/http/problems.ts';
import { countContent } from '../support/database/stored-content.ts';

const base64 = (bytes: Buffer): string => bytes.toString('base64');
const dataUrl = (type: string, bytes: Buffer): string => `data:${type};base64,${base64(bytes)}`;
const text = (content: string): string => base64(Buffer.from(content));
const LIMIT = 524_288;
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><script>alert(1)</script></svg>';
/** An image whose base64 ends with padding. */
const PADDED = [0, 1, 2].map((more) => pngOfBytes(100 + more)).find((bytes) => bytes.length % 3 === 1) ?? png();

describe('a thumbnail', () => {
  const api = forAllTests(() => startApiAlone());

  describe('is stored with its detected media type', () => {
    it.each<[string, string, Buffer]>([
      ['a PNG', 'image/png', png()],
      ['a PNG of 4096 x 4096', 'image/png', png({ width: 4_096, height: 4_096 })],
      ['a PNG of the maximum size', 'image/png', pngOfBytes(LIMIT)],
      ['a GIF', 'image/gif', gif()],
      ['an animated GIF', 'image/gif', gif({ frames: 3 })],
      ['a JPEG', 'image/jpeg', jpeg()],
      ['a JPEG of 4096 x 4096', 'image/jpeg', jpeg({ width: 4_096, height: 4_096 })],
      ['a WebP', 'image/webp', webp()],
      ['a WebP of 4096 x 4096', 'image/webp', webp({ width: 4_096, height: 4_096 })],
    ])('when the upload contains %s', async (_, mediaType, bytes) => {
      for (const thumbnail of [base64(bytes), dataUrl(mediaType, bytes)]) {
        const id = await api.client.upload({ thumbnail });
        const [stored] = await api.database.query('select media_type, bytes from content_thumbnail where content_id = $1', [id]);
        expect(stored?.['mediaType']).toBe(mediaType);
        expect(bytes.equals(stored?.['bytes'])).toBe(true);
      }
    });

    it('and nothing is stored for an upload without a thumbnail', async () => {
      const id = await api.client.upload();
      expect(await api.database.query('select 1 from content_thumbnail where content_id = $1', [id])).toEqual([]);
    });

    it('and the response to an upload or a read does not contain it', async () => {
      const response = await api.client.tryUpload({ thumbnail: base64(png()) });
      const item = await api.client.get(`/api/content/${response.body.content_id}`);
      for (const { text: body } of [response, item]) expect(body).not.toMatch(/thumbnail|iVBORw0KGgo/);
    });
  });

  describe('is stored although it is sent', () => {
    const bytes = PADDED;
    const lines = base64(bytes).replace(/.{76}/g, '$&\r\n');
    it.each<[string, string]>([
      ['with line breaks', lines],
      ['with line breaks around it', `\n${base64(bytes)}\n`],
      ['with blanks', ` ${base64(bytes).slice(0, 40)} ${base64(bytes).slice(40)}`],
      ['without its padding', base64(bytes).replace(/=+$/, '')],
      ['as base64url', bytes.toString('base64url')],
      ['as a data URL with line breaks', `data:image/png;base64,\n${lines}`],
      ['as a data URL without padding', `data:image/png;base64,${bytes.toString('base64url')}`],
      ...[
        'image/jpg',
        'image/jpeg',
        'image/x-png',
        'image/*',
        'image/svg+xml',
        'IMAGE/PNG',
        'image/png;charset=utf-8',
        'application/octet-stream',
      ].map((type): [string, string] => [`declared as ${type}`, dataUrl(type, bytes)]),
      ['with capital letters before it', `DATA:IMAGE/PNG;BASE64,${base64(bytes)}`],
      ['followed by a ZIP', base64(Buffer.concat([bytes, Buffer.from('504b0506', 'hex')]))],
      ['with a text', base64(png({ extra: [pngChunk('tEXt', Buffer.from('Comment\0home'))] }))],
    ])('%s', async (what, thumbnail) => {
      const id = await api.client.upload({ thumbnail });
      const [stored] = await api.database.query('select media_type, bytes from content_thumbnail where content_id = $1', [id]);
      const expected = what === 'with a text' ? png() : bytes;
      expect(stored).toEqual({ mediaType: 'image/png', bytes: expected });
    });

    it.each<[string, Buffer]>([['image/jpeg', jpeg()], ['image/gif', gif()], ['image/webp', webp()]])('with bytes after its end, as %s', async (type, picture) => {
      const sent = Buffer.concat([picture, Buffer.from('<script>SEFT')]);
      const id = await api.client.upload({ thumbnail: dataUrl('image/png', sent) });
      const [stored] = await api.database.query('select media_type, bytes from content_thumbnail where content_id = $1', [id]);
      expect(stored).toEqual({ mediaType: type, bytes: picture });
    }); // prettier-ignore
  });

  it('and null for thumbnail and tags mean absent', async () => {
    const id = await api.client.upload({ thumbnail: null, tags: null });
    expect(await api.database.query('select 1 from content_thumbnail where content_id = $1', [id])).toEqual([]);
    expect((await api.client.get(`/api/content/${id}?include=tags`)).body.tags).toEqual([]);
  });

  describe('makes the upload 400, which is not stored,', () => {
    let stored = 0;
    beforeAll(async () => {
      stored = await countContent(api.database);
    });
    afterEach(async () => {
      expect(await countContent(api.database)).toBe(stored);
      await api.client.upload({ thumbnail: base64(png()) });
      stored += 1;
    });

    it.each<[string, string]>([
      ['empty', ''],
      ['an empty data URL', 'data:image/png;base64,'],
      ['not base64', 'no image!'],
      ['base64 with too much padding', `${base64(PADDED)}=`],
      ['base64 whose last bits are not zero', base64(PADDED).replace(/.==$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}==`)],
      ['base64 twice', `${base64(PADDED)}${base64(PADDED)}`],
      ['a URL', 'https://example.test/image.png'],
      ['a file URL', 'file:///etc/passwd'],
      ['declared as text', dataUrl('text/html', png())],
      ['declared as SVG', dataUrl('image/svg+xml', Buffer.from(SVG))],
      ['declared as nothing', `data:;base64,${base64(png())}`],
      ['declared without base64', `data:image/png,${base64(png())}`],
      ['SVG', text(SVG)],
      // A GIF's last byte is a semicolon.
      ['SVG with the last byte of a GIF', text(`${SVG};`)],
      ['SVG after an XML declaration', text(`<?xml version="1.0"?>${SVG}`)],
      ['HTML', text('<!doctype html><script>alert(1)</script>')],
      ['PDF', text('%PDF-1.7\n1 0 obj\nendobj\ntrailer\n%%EOF')],
      ['a ZIP', base64(Buffer.from('504b0506000000000000000000000000000000000000', 'hex'))],
      ['a BMP', base64(Buffer.concat([Buffer.from('BM'), Buffer.alloc(60, 1)]))],
      ['a TIFF', base64(Buffer.concat([Buffer.from('49492a0008000000', 'hex'), Buffer.alloc(60)]))],
      ['an icon', base64(Buffer.from('00000100010001010000010020000400000016000000', 'hex'))],
      ['one byte', 'AA=='],
      ['a PNG without its end', base64(png().subarray(0, -12))],
      ['a PNG of its header only', base64(png().subarray(0, 33))],
      ['a PNG signature and HTML', base64(Buffer.concat([png().subarray(0, 33), Buffer.from('<script>alert(1)</script>')]))],
      ['a PNG of 30000 x 30000', base64(png({ width: 30_000, height: 30_000, pixels: false }))],
      ['a PNG of 4097 x 1', base64(png({ width: 4_097 }))],
      ['a PNG of 1 x 4097', base64(png({ height: 4_097 }))],
      ['a PNG without pixels', base64(png({ width: 0, height: 0 }))],
      ['a PNG of the maximum size plus one byte', base64(pngOfBytes(LIMIT + 1))],
      ['a small PNG that is as large as sent because of its text', base64(png({ extra: [pngChunk('tEXt', Buffer.alloc(LIMIT))] }))],
      ['a PNG of 1 MiB', base64(pngOfBytes(2 * LIMIT))],
      ['a GIF without its end', base64(gif().subarray(0, -1))],
      ['a GIF of its header only', base64(gif().subarray(0, 10))],
      ['a GIF of 4097 x 1', base64(gif({ width: 4_097 }))],
      ['a GIF without pixels', base64(gif({ width: 0 }))],
      ['a JPEG without its end', base64(jpeg().subarray(0, -2))],
      ['a JPEG of its first bytes only', base64(jpeg().subarray(0, 4))],
      ['a JPEG of 4097 x 1', base64(jpeg({ width: 4_097 }))],
      ['a JPEG without pixels', base64(jpeg({ height: 0 }))],
      ['a WebP without its end', base64(webp().subarray(0, -1))],
      ['a WebP of 4097 x 1', base64(webp({ width: 4_097 }))],
      ['a WAV file, which uses the same container as WebP', base64(Buffer.from('524946460c00000057415645666d7420', 'hex'))],
    ])('when it is %s', async (_, thumbnail) => expectErrors(await api.client.tryUpload({ thumbnail }), ['#/thumbnail']));
  });
});

describe('with configured limits,', () => {
  const api = forAllTests(() => startApiAlone({ THUMBNAIL_MAX_BYTES: '200', THUMBNAIL_MAX_SIDE: '16' }));

  it('a thumbnail is accepted up to the limits and 400 above them', async () => {
    for (const good of [pngOfBytes(200), png({ width: 16, height: 16 })])
      expect((await api.client.tryUpload({ thumbnail: base64(good) })).status).toBe(201);
    for (const bad of [pngOfBytes(201), png({ width: 17 }), png({ height: 17 })])
      expectErrors(await api.client.tryUpload({ thumbnail: base64(bad) }), ['#/thumbnail']);
  });
});
