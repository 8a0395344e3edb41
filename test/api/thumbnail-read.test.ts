import { pngChunk } from '@ugc/api/commands/demo/png';
import { describe, expect, it } from '@jest/globals';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { exif, png } from '../support/database/images.ts';
import { startService } from '../support/processes/service.ts';
import { tokenOf } from '../support/http/tokens.ts';

const PNG = png().toString('base64');

const service = forAllTests(() => startService());

describe('reading a thumbnail', () => {
  it('returns the uploaded bytes with their detected media type', async () => {
    const id = await service.client.upload({ thumbnail: `data:image/png;base64,${PNG}` });
    const token = await tokenOf(1);
    const response = await fetch(`${service.client.baseUrl}/api/content/${id}/thumbnail`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(Buffer.from(await response.arrayBuffer()).toString('base64')).toBe(PNG);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
    const again = await service.client.send('GET', `/api/content/${id}/thumbnail`, undefined, 1, {
      'if-none-match': response.headers.get('etag') ?? '',
    });
    expect(again.status).toBe(304);
  });

  const readKnown = (id: number, tag: string) =>
    service.client.send('GET', `/api/content/${id}/thumbnail`, undefined, 1, { 'if-none-match': tag });
  const edit = (id: number, body: object) => service.client.send('PATCH', `/api/content/${id}`, body);

  it('does not load the image from the database for a 304', async () => {
    const id = await service.client.upload({ thumbnail: PNG });
    const tag = (await service.client.get(`/api/content/${id}/thumbnail`)).headers.get('etag') ?? '';
    await makeImagesUnreadable();
    try {
      for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const response = await readKnown(id, known);
        expect({ known, status: response.status, tag: response.headers.get('etag') }).toEqual({ known, status: 304, tag });
        expect(response.headers.get('cache-control')).toBe('private, no-cache');
      }
      for (const other of ['"t1"', '"t"', '"0.1"', '"t99999999999999999999"']) expect((await readKnown(id, other)).status).toBe(500);
    } finally {
      await makeImagesReadable();
    }
  });

  it('returns the new image to a client that has the previous one', async () => {
    const id = await service.client.upload({ thumbnail: PNG });
    const first = await service.client.get(`/api/content/${id}/thumbnail`);
    await edit(id, { thumbnail: png({ width: 2 }).toString('base64') });
    const second = await readKnown(id, first.headers.get('etag') ?? '');
    expect(second.status).toBe(200);
    expect(second.headers.get('etag')).not.toBe(first.headers.get('etag'));
    expect((await readKnown(id, second.headers.get('etag') ?? '')).status).toBe(304);
  });

  it.each<[string, (id: number) => Promise<{ status: number }>]>([
    ['was removed', (id) => edit(id, { thumbnail: null })],
    ['belonged to a deleted item', (id) => service.client.send('DELETE', `/api/content/${id}`)],
  ])('is 404 at once, also with a matching If-None-Match, when it %s', async (_, remove) => {
    const id = await service.client.upload({ thumbnail: PNG });
    const tag = (await service.client.get(`/api/content/${id}/thumbnail`)).headers.get('etag') ?? '';
    expect((await remove(id)).status).toBeLessThan(300);
    for (const known of ['', tag, '*', '"t0", "t1", "t2"']) expect((await readKnown(id, known)).status).toBe(404);
  });

  it('returns a picture without the metadata that an earlier release has stored, and sending it again changes nothing', async () => {
    const old = png({ extra: [pngChunk('tEXt', Buffer.from('Comment\0home')), pngChunk('eXIf', exif(6, 'home'))] });
    const id = await service.client.upload({ thumbnail: PNG });
    await service.database.query(`update content_thumbnail set bytes = $2 where content_id = $1`, [id, old]);
    const token = await tokenOf(1);
    const response = await fetch(`${service.client.baseUrl}/api/content/${id}/thumbnail`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const served = Buffer.from(await response.arrayBuffer());
    expect(served).toEqual(png({ extra: [pngChunk('eXIf', exif(6))] }));
    const before = (await service.client.get(`/api/content/${id}`)).body;
    expect((await edit(id, { thumbnail: old.toString('base64') })).body).toEqual(before);
  });

  it('is 404 for an item without a thumbnail', async () => {
    const id = await service.client.upload();
    expect((await service.client.get(`/api/content/${id}/thumbnail`)).status).toBe(404);
  });
});

/** Makes every query that reads the bytes of an image fail; other columns stay readable. */
async function makeImagesUnreadable(): Promise<void> {
  await service.database.query(`alter table content_thumbnail rename to readable_thumbnail`);
  await service.database.query(
    `create function unreadable(bytes bytea) returns bytea language plpgsql stable as $$ begin raise exception 'an image is read'; end $$`,
  );
  await service.database.query(
    `create view content_thumbnail as select content_id, media_type, unreadable(bytes) as bytes from readable_thumbnail`,
  );
}

async function makeImagesReadable(): Promise<void> {
  await service.database.query(`drop view content_thumbnail`);
  await service.database.query(`alter table readable_thumbnail rename to content_thumbnail`);
}
