import { beforeAll, describe, expect, it } from '@jest/globals';
import { jsonBytes } from '@ugc/items/changes/item-limits';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { fieldsOf } from '../support/cluster/uploads.ts';
import { expectStored } from '../support/database/expect-stored.ts';
import { jpeg, png, pngOfBytes, webp, webpAnimated } from '../support/database/images.ts';
import { storeContent } from '../support/database/stored-content.ts';
import type { ApiResponse } from '../support/http/client.ts';
import { expectErrors, expectProblem } from '../support/http/problems.ts';
import { head, openSocket, parseRaw, type RawResponse, readAnswer, sendRaw } from '../support/http/raw-http.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { startAnotherApi, startApiAlone } from '../support/processes/api-alone.ts';
import { startService } from '../support/processes/service.ts';
import { IS_OPENSEARCH } from '../support/servers/search-engine.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const VALID = { creatorId: 1, name: 'x', description: '', version: 1, data: '' };

/** All tests but those of limits have this API. */
const api = forAllTests(() => startApiAlone());

async function post(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = JSON_TYPE): Promise<ApiResponse> {
  return api.client.request('POST', '/content', { token: await tokenOf(1), body, headers });
}

describe('an invalid upload', () => {
  const stored = expectStored(() => api);
  const sendFields = (changes: Record<string, unknown>): Promise<ApiResponse> => post(JSON.stringify({ ...VALID, ...changes }));

  it('is 400 with a pointer to the document when the body is not JSON', async () => expectErrors(await post('{'), ['#']));

  it.each<[string, Record<string, string>]>([
    ['the content type', { 'content-type': 'text/plain' }],
    ['the encoding', { ...JSON_TYPE, 'content-encoding': 'gzip' }],
  ])('is 415 because of %s', async (_, headers) => expectProblem(await post(gzipSync(JSON.stringify(VALID)), headers), 415));

  it('gets all of its errors in one response, which does not contain its values', async () => {
    const bad = { creatorId: 'me', name: '', description: 7, version: 'payload', tags: ['ok', '', 7], thumbnail: 'payload' };
    const response = await post(JSON.stringify(bad));
    expectErrors(response, ['#/creatorId', '#/data', '#/description', '#/name', '#/tags/1', '#/tags/2', '#/thumbnail', '#/version']);
    expect(response.text).not.toContain('payload');
  });

  it.each<[string, number, (value: string) => Record<string, unknown>, string]>([
    ['name', 200, (name) => ({ name }), '#/name'],
    ['description', 10_000, (description) => ({ description }), '#/description'],
    ['tags', 64, (tag) => ({ tags: [tag] }), '#/tags/0'],
  ])('has a field longer than its limit in characters, up to which PostgreSQL stores it: %s', async (_, limit, fields, pointer) => {
    expect((await sendFields(fields('😀'.repeat(limit)))).status).toBe(201);
    stored.count += 1;
    expectErrors(await sendFields(fields('😀'.repeat(limit + 1))), [pointer]);
  });

  it('gets 400 for invalid fields before 403 for another creator', async () => {
    expectErrors(await sendFields({ creatorId: 2, version: -1 }), ['#/version']);
    expectProblem(await sendFields({ creatorId: 2 }), 403);
    expectProblem(await api.client.tryUpload({}, 999), 403);
    expectProblem(await api.client.tryUpload({}, Number.MAX_SAFE_INTEGER), 403);
  });
});

describe('an unusual but valid upload', () => {
  const readBack = async ({ status, body }: ApiResponse): Promise<any> => {
    expect(status).toBe(201);
    return (await api.client.get(`/api/content/${body.content_id}`)).body;
  };

  it('is accepted, and unknown fields and fields that the service sets are ignored', async () => {
    const claimed = {
      contentId: 7_777, content_id: 7_777, id: 7_777, revision: 9, creatorName: 'me', createdAt: '2001-01-01T00:00:00Z', created_at: '2001-01-01T00:00:00Z',
      updatedAt: '2001-01-01T00:00:00Z', downloadsCount: 9, latestDownloadsCount: 9, avgRating: 5, rating_sum: 9, deleted: true, credential: 'x',
    }; // prettier-ignore
    const item = await readBack(await post(JSON.stringify({ ...VALID, ...claimed })));
    expect(item).toMatchObject({ creatorName: 'ada', downloadsCount: 0, latestDownloadsCount: 0, avgRating: 0 });
    expect(item.contentId).not.toBe(7_777);
    expect(Math.abs(Date.parse(item.createdAt) - Date.now())).toBeLessThan(60_000);
    const [row] = await api.database.query('select revision from content where content_id = $1', [item.contentId]);
    expect(row).toEqual({ revision: 1 });
  });

  it.each([
    "'; drop table content; --",
    '<script>alert(1)</script>',
    '${jndi:ldap://x}{{7*7}}%s%n',
    'a\u0001\u0008\u000b\u001f\u007f\u0085\u2028\u2029',
    'e\u0301 \u00e9 \ufb01 \u200b\u200d\ufeff \u202eabc \ufffe\uffff',
    '😀👩‍👩‍👧🏳️‍🌈 \u{10ffff}',
    '  both ends  \r\n',
  ])('is returned as it was sent, with the name in normalization form NFC, with the text %j', async (text) => {
    const name = text.slice(0, 200);
    const item = await readBack(await post(JSON.stringify({ ...VALID, name, description: text, data: text })));
    expect(item).toMatchObject({ name: name.normalize('NFC'), description: text, data: text });
  });
});

const LIMIT = 2_097_152;
/** A valid upload of the given size, padded with white space. */
function bodyOfBytes(bytes: number): string {
  return BODY.padEnd(bytes);
}
const BODY = JSON.stringify(VALID);

describe('the body of an upload', () => {
  let authorization: string;
  beforeAll(async () => {
    authorization = `Authorization: Bearer ${await tokenOf(1)}`;
  });

  const stored = expectStored(() => api);

  const upload = (...headers: string[]): string => head('POST', '/content', [authorization, 'Content-Type: application/json', ...headers]);
  const send = async (request: string): Promise<RawResponse> => parseRaw(await sendRaw(api.client.baseUrl, request));
  const chunk = (content: string): string => `${Buffer.byteLength(content).toString(16)}\r\n${content}\r\n`;
  const LAST_CHUNK = '0\r\n\r\n';
  const open = (): Socket => openSocket(api.client.baseUrl).on('error', () => undefined);

  function expectTooLarge({ status, headers, body }: RawResponse): void {
    expect(status).toBe(413);
    expect(headers).toMatchObject({ 'content-type': expect.stringContaining('application/problem+json') });
    expect(JSON.parse(body)).toMatchObject({ status: 413, title: 'Payload Too Large', requestId: headers['x-request-id'] });
  }

  it('is accepted with exactly 2 MiB, the limit', async () => {
    const response = await api.client.request('POST', '/content', {
      token: await tokenOf(1),
      body: bodyOfBytes(LIMIT),
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status).toBe(201);
    stored.count += 1;
  });

  it('is accepted with exactly 2 MiB in chunks', async () => {
    const request = upload('Transfer-Encoding: chunked', 'Connection: close');
    expect((await send(`${request}${chunk(bodyOfBytes(LIMIT))}${LAST_CHUNK}`)).status).toBe(201);
    stored.count += 1;
  });

  describe('in many chunks', () => {
    const inChunks = (body: string, bytes: number): string => (body.match(new RegExp(`.{1,${bytes}}`, 'g')) ?? []).map(chunk).join('');
    const sendChunks = (bodyBytes: number, chunkBytes: number) =>
      send(`${upload('Transfer-Encoding: chunked', 'Connection: close')}${inChunks(bodyOfBytes(bodyBytes), chunkBytes)}${LAST_CHUNK}`);

    it.each([
      ['1,000 of any size', 1_000, 1],
      ['one for each 256 bytes', LIMIT, 256],
    ])('is accepted with %s', async (_, bodyBytes, chunkBytes) => {
      expect((await sendChunks(bodyBytes, chunkBytes)).status).toBe(201);
      stored.count += 1;
    });

    it('is 400 that says so with more', async () => {
      const { status, body } = await sendChunks(20_000, 2);
      expect([status, JSON.parse(body).detail]).toEqual([400, 'The body comes in too many small chunks. Send larger ones.']);
    });

    it('is 400, and nothing is stored, with more before a large one', async () => {
      const body = `${' '.repeat(1_010)}${bodyOfBytes(20_000)}`;
      const chunks = `${inChunks(body.slice(0, 1_010), 1)}${chunk(body.slice(1_010))}${LAST_CHUNK}`;
      expect((await send(`${upload('Transfer-Encoding: chunked', 'Connection: close')}${chunks}`)).status).toBe(400);
    });

    it('is not kept with more while nobody reads it, and its connection is closed', async () => {
      const socket = open();
      socket.write(head('POST', '/content', ['Transfer-Encoding: chunked']));
      expect((await readAnswer(socket)).status).toBe(403);
      // Without the limit, the body would be discarded and the second request answered.
      socket.write(`${inChunks(' '.repeat(2_000), 1)}${LAST_CHUNK}${head('GET', '/health/live', ['Connection: close'])}`);
      expect(await text(socket).catch(() => '')).toBe('');
    });
  });

  it('is 413 with one byte more in chunks', async () => {
    const request = upload('Transfer-Encoding: chunked', 'Connection: close');
    expectTooLarge(await send(`${request}${chunk(bodyOfBytes(LIMIT + 1))}${LAST_CHUNK}`));
  });

  /** Expects that the connection can be used for another request. */
  async function expectUsable(socket: Socket): Promise<void> {
    const response = readAnswer(socket);
    socket.write(head('GET', '/health/live'));
    expect((await response).status).toBe(200);
    socket.destroy();
  }

  it('with a Content-Length above the limit is 413 before it is read, and the connection stays usable', async () => {
    const socket = open();
    socket.write(upload(`Content-Length: ${LIMIT + 1}`));
    expectTooLarge(await readAnswer(socket));
    socket.write(bodyOfBytes(LIMIT + 1));
    await expectUsable(socket);
  });

  it('in chunks is 413 as soon as it exceeds the limit, and the connection stays usable', async () => {
    const socket = open();
    const response = readAnswer(socket);
    socket.write(upload('Transfer-Encoding: chunked'));
    for (let sent = 0; sent <= 2 * LIMIT; sent += 65_536) socket.write(chunk(' '.repeat(65_536)));
    expectTooLarge(await response);
    socket.write(LAST_CHUNK);
    await expectUsable(socket);
  });

  it('with a Content-Length beyond the integer range is 413 or 400 and not stored', async () => {
    const socket = open();
    socket.write(upload('Content-Length: 99999999999999999999'));
    expect([400, 413]).toContain((await readAnswer(socket)).status);
    socket.destroy();
  });

  it('closes the connection after 32 MiB have been discarded', async () => {
    const socket = open();
    socket.write(upload('Content-Length: 1000000000'));
    expectTooLarge(await readAnswer(socket));
    const part = Buffer.alloc(1_048_576, ' ');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    let sentBytes = 0;
    while (!socket.destroyed && sentBytes < 100 * part.length) {
      sentBytes += part.length;
      if (!socket.write(part)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
    }
    expect(sentBytes).toBeGreaterThan(32 * part.length);
    expect(socket.destroyed).toBe(true);
  });

  const REFUSED: [string, number, string, (token: string) => string[]][] = [
    ['it is too large', 413, '/content', (token) => [token, 'Content-Type: application/json']],
    ['the content type is wrong', 415, '/content', (token) => [token, 'Content-Type: text/plain']],
    ['it is compressed', 415, '/content', (token) => [token, 'Content-Type: application/json', 'Content-Encoding: gzip']],
    ['there is no token', 403, '/content', () => ['Content-Type: application/json']],
    ['there is no such path', 404, '/uploads', (token) => [token]],
  ];

  it.each(REFUSED)(
    'is discarded, so that a client that sends all of it first can read the response: %s',
    async (_, status, path, headersOf) => {
      const body = bodyOfBytes(20_000_000);
      for (const [length, sent] of [['Content-Length: 20000000', body], ['Transfer-Encoding: chunked', `${chunk(body)}${LAST_CHUNK}`]] as const) {
      const socket = open().pause();
      const request = head('POST', path, [...headersOf(authorization), length]);
      expect(await new Promise<unknown>((resolve) => socket.write(request + sent, resolve))).toBeFalsy();
      expect((await readAnswer(socket.resume())).status).toBe(status);
      socket.destroy();
    } // prettier-ignore
    },
  );

  it('is requested with 100 Continue and then read', async () => {
    const socket = openSocket(api.client.baseUrl);
    socket.write(upload(`Content-Length: ${BODY.length}`, 'Expect: 100-continue', 'Connection: close'));
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(BODY);
    expect(parseRaw(await text(socket)).status).toBe(201);
    stored.count += 1;
  });

  it.each(REFUSED)('is not requested with 100 Continue when %s', async (_, status, path, headersOf) => {
    const headers = [...headersOf(authorization), 'Content-Length: 20000000', 'Expect: 100-continue', 'Connection: close'];
    const response = await sendRaw(api.client.baseUrl, head('POST', path, headers));
    expect(response).not.toContain('100 Continue');
    expect(parseRaw(response).status).toBe(status);
  });

  it('that is longer than its Content-Length is 400, and the excess is not a request', async () => {
    const responses = await sendRaw(api.client.baseUrl, `${upload(`Content-Length: ${BODY.length - 1}`)}${BODY}`);
    expect(new Set(responses.match(/HTTP\/1\.1 \d+/g))).toEqual(new Set(['HTTP/1.1 400']));
  });

  it('that ends before its Content-Length is not stored', async () => {
    const socket = openSocket(api.client.baseUrl);
    socket.end(`${upload(`Content-Length: ${BODY.length + 1}`)}${BODY}`);
    expect(parseRaw(await text(socket)).status).toBe(400);
  });

  it('is not stored when the connection is lost in the middle', async () => {
    const socket = openSocket(api.client.baseUrl);
    socket.write(`${upload(`Content-Length: ${BODY.length}`)}${BODY.slice(0, -1)}`);
    await once(socket, 'connect');
    socket.resetAndDestroy();
  });

  it.each<[string, () => string]>([
    ['a length and chunks', () => `${upload('Content-Length: 5', 'Transfer-Encoding: chunked')}${LAST_CHUNK}`],
    ['two lengths', () => `${upload('Content-Length: 1', 'Content-Length: 2')}{}`],
    ['a negative length', () => `${upload('Content-Length: -1')}{}`],
    ['a chunk without a size', () => `${upload('Transfer-Encoding: chunked')}x\r\n{}\r\n${LAST_CHUNK}`],
  ])('is 400 with an HTTP framing error: %s', async (_, request) => {
    expect((await send(request())).status).toBe(400);
  });
});

describe('with THUMBNAIL_MAX_ANIMATION_PIXELS,', () => {
  const api = forAllTests(() => startApiAlone({ THUMBNAIL_MAX_ANIMATION_PIXELS: '1000000' }));
  const [accepted, refused, still] = [
    webpAnimated({ frames: 3, side: 500 }),
    webpAnimated({ frames: 5, side: 500 }),
    webp({ width: 4_096, height: 4_096 }),
  ].map((bytes) => bytes.toString('base64'));
  const DETAIL = 'has 1250000 pixels in all of its frames together; the maximum is 1000000';

  it('an upload or edit with a larger animation is refused, and stills of any size are not', async () => {
    for (const thumbnail of [accepted, still]) expect((await api.client.tryUpload({ thumbnail })).status).toBe(201);
    expect((await api.client.tryUpload({ thumbnail: refused })).body.errors).toMatchObject([
      { pointer: '#/thumbnail', detail: DETAIL, code: 'too-large' },
    ]);
    const id = await api.client.upload();
    const edited = await api.client.send('PATCH', `/api/content/${id}`, { thumbnail: refused });
    expect(edited).toMatchObject({ status: 400, body: { errors: [{ pointer: '#/thumbnail', detail: DETAIL }] } });
  });

  it('an animation that is stored already stays valid in an edit that sends it again', async () => {
    const before = await api.client.upload({ thumbnail: accepted });
    await api.database.query(`update content_thumbnail set bytes = $2 where content_id = $1`, [
      before,
      Buffer.from(refused ?? '', 'base64'),
    ]);
    const { status } = await api.client.send('PATCH', `/api/content/${before}`, { thumbnail: refused, name: 'another name' });
    expect(status).toBe(200);
  });
});

describe('with configured limits and a public address,', () => {
  const limits = { BODY_MAX_BYTES: '2048', NAME_MAX_CHARACTERS: '3', DESCRIPTION_MAX_CHARACTERS: '4', DATA_MAX_CHARACTERS: '5', TAGS_MAX: '1', TAG_MAX_CHARACTERS: '2', THUMBNAIL_MAX_BYTES: '200', THUMBNAIL_MAX_SIDE: '16' }; // prettier-ignore
  const api = forAllTests(() => startApiAlone({ ...limits, PUBLIC_URL: 'https://example.com/ugc/' }));

  it('the path of PUBLIC_URL begins Location and the addresses of the OpenAPI document', async () => {
    const { headers, body } = await api.client.tryUpload({ name: 'abc' });
    expect(headers.get('location')).toBe(`/ugc/api/content/${body.content_id}`);
    expect((await api.client.request('GET', '/openapi.json')).body.servers[0].url).toBe('/ugc');
  });

  it('the commands of the documentation have PUBLIC_URL, also without JavaScript', async () => {
    for (const path of ['/docs', '/docs/api']) {
      const { text } = await api.client.request('GET', path);
      expect(text).toContain('https://example.com/ugc/api/content?prompt=');
      expect(text).not.toContain('localhost:3000');
    }
  });

  it('an upload is accepted up to the limits and 400 or 413 above them', async () => {
    expect((await api.client.tryUpload({ name: 'abc', description: 'abcd', data: 'abcde', tags: ['ab'] })).status).toBe(201);
    const invalid = await api.client.tryUpload({ name: 'abcd', description: 'abcde', data: 'abcdef', tags: ['abc'] });
    const pointers = expectProblem(invalid, 400).errors?.map(({ pointer }) => pointer);
    expect(pointers?.toSorted()).toEqual(['#/data', '#/description', '#/name', '#/tags/0']);
    expectErrors(await api.client.tryUpload({ name: 'abc', tags: ['a', 'b'] }), ['#/tags']);
    expectProblem(await api.client.tryUpload({ name: 'abc', extra: 'a'.repeat(2_048) }), 413);
  });

  it('a thumbnail is accepted up to the limits and 400 above them', async () => {
    const uploadOf = (picture: Buffer) => api.client.tryUpload({ name: 'abc', thumbnail: picture.toString('base64') });
    for (const good of [pngOfBytes(200), png({ width: 16, height: 16 })]) expect((await uploadOf(good)).status).toBe(201);
    for (const bad of [pngOfBytes(201), png({ width: 17 }), png({ height: 17 })]) expectErrors(await uploadOf(bad), ['#/thumbnail']);
  });
});

describe('item limits', () => {
  const LIMIT = 65_536;
  const LIMITS = { ITEM_MAX_BYTES: String(LIMIT), NAME_MAX_CHARACTERS: '20', DESCRIPTION_MAX_CHARACTERS: '100', TAG_MAX_CHARACTERS: '10' };
  const LIGATURE = 'ﷺ';
  /** 10,000 characters, of which a list contains 60,000 and more bytes. */
  const TOO_LARGE = '\u0001'.repeat(11_000);

  const service = forAllTests(() => startService(LIMITS));
  const upload = (fields: object) => service.client.tryUpload({ name: 'lighthouse', ...fields });

  describe('an upload', () => {
    it.each([
      ['data of control characters', { data: TOO_LARGE }, '#/data'],
      ['data of emoji', { data: '🎲'.repeat(5_000) }, '#/data'],
      ['data of quotation marks', { data: '"'.repeat(30_000) }, '#/data'],
      ['data of Chinese characters', { data: '燈'.repeat(20_000) }, '#/data'],
      ['a name whose searched form is too long', { name: LIGATURE.repeat(3) }, '#/name'],
      ['a description whose searched form is too long', { description: LIGATURE.repeat(12) }, '#/description'],
      ['a tag whose searched form is too long', { tags: ['tag', LIGATURE.repeat(2)] }, '#/tags'],
    ])('with %s is 400 and names size and limit', async (_, fields, pointer) => {
      const response = await upload(fields);
      expectErrors(response, [pointer]);
      expect(response.body.errors[0].detail).toMatch(/\d+ (bytes|characters).*the maximum is \d+$/);
    });

    it.each([
      ['the most that a list may contain of it', { data: '\u0001'.repeat(9_000) }],
      ['everyday ligatures', { name: LIGATURE, description: `${LIGATURE} ﬁne ½ ㎏`, tags: ['Ⅷ'] }],
      ['letters that become two', { name: 'ß'.repeat(20), description: 'ŉ'.repeat(100) }],
    ])('with %s is stored', async (_, fields) => expect((await upload(fields)).status).toBe(201));

    it('whose first response was sent before the limits became lower still gets it', async () => {
      const key = { 'idempotency-key': 'before-the-limits' };
      const body = { creatorId: 1, version: 1, ...fieldsOf('repeated'), data: TOO_LARGE, description: LIGATURE.repeat(50) };
      const before = await startAnotherApi({ ...service.env, ITEM_MAX_BYTES: '1310720', DESCRIPTION_MAX_CHARACTERS: '10000' });
      const first = await before.client.send('POST', '/content', body, 1, key);
      await before.stop();
      expect(first.status).toBe(201);
      expect((await service.client.send('POST', '/content', body, 1, key)).text).toBe(first.text);
      expectErrors(await service.client.send('POST', '/content', body, 1, { 'idempotency-key': 'another' }), ['#/description', '#/data']);
    });
  });

  describe('an item that an earlier release has stored above the limits', () => {
    const store = async (): Promise<string> => {
      const large = { name: LIGATURE.repeat(3), description: LIGATURE.repeat(20), data: TOO_LARGE, tags: [LIGATURE.repeat(2)] };
      const [id] = await storeContent(service.database, [large]);
      return `/api/content/${id}`;
    };

    it('is read, listed, rated, downloaded and deleted', async () => {
      const path = await store();
      await service.indexed();
      expect((await service.client.get(path)).body.data).toBe(TOO_LARGE);
      expect((await service.client.list()).body.content).toContainEqual(expect.objectContaining({ data: TOO_LARGE }));
      expect((await service.client.send('PUT', `${path}/rating`, { score: 5 }, 2)).status).toBe(204);
      expect((await service.client.send('POST', `${path}/downloads`)).status).toBe(204);
      expect((await service.client.send('DELETE', path)).status).toBe(204);
    });

    it('may get another name, other tags and shorter texts, but no longer ones', async () => {
      const path = await store();
      const edit = (fields: object) => service.client.send('PATCH', path, fields);
      expect((await edit({ name: 'a longer name' })).status).toBe(200);
      expect((await edit({ tags: ['one', 'two'] })).status).toBe(200);
      expectErrors(await edit({ data: `${TOO_LARGE}.` }), ['#/data']);
      expectErrors(await edit({ description: LIGATURE.repeat(19) }), ['#/description']);
      expect((await edit({ data: TOO_LARGE.slice(1) })).status).toBe(200);
      expect((await edit({ data: 'short', description: 'short' })).status).toBe(200);
      expectErrors(await edit({ data: TOO_LARGE }), ['#/data']);
    });
  });

  describe('the bytes of an item', () => {
    const SAMPLES = {
      controls: Array.from({ length: 31 }, (_, code) => String.fromCharCode(code + 1)).join(''),
      punctuation: '"\\/<>&\'\u007f\u0080\u2028\u2029',
      letters: 'aäя燈',
      pairs: '🎲𝄞\u{10ffff}',
      signs: '\ufeff\uffff\ufffd\u200d',
    };

    it.each(Object.entries(SAMPLES))('are those of the response of Elasticsearch: %s', async (_, sample) => {
      const [plain, other] = await Promise.all([bytesWith('x'), bytesWith(`x${sample}`)]);
      // OpenSearch writes pairs of surrogates as UTF-8, in fewer bytes than are counted.
      if (IS_OPENSEARCH) expect(other - plain).toBeLessThanOrEqual(jsonBytes(sample));
      else expect(other - plain).toBe(jsonBytes(sample));
    });

    async function bytesWith(data: string): Promise<number> {
      const id = await service.client.upload({ name: 'measured', data });
      await service.indexed();
      const url = `${service.env['ELASTICSEARCH_URL']}/${service.alias}/_search?q=_id:${id}&filter_path=hits.hits._source.data`;
      return (await (await fetch(url)).arrayBuffer()).byteLength;
    }
  });

  it('fields=summary leaves out the data of each item, also on a deep page and with other additions', async () => {
    await service.client.upload({ name: 'summarized', data: 'not listed', tags: ['tag'] });
    await service.indexed();
    const { body } = await service.client.list({ prompt: 'summarized', fields: 'summary', include: 'tags', highlight: 'true' });
    const [item] = body.content;
    expect(item).toMatchObject({ name: 'summarized', tags: ['tag'], highlights: { name: ['<mark>summarized</mark>'] } });
    expect(item).not.toHaveProperty('data');
    const [complete] = (await service.client.list({ prompt: 'summarized', include: 'tags', highlight: 'true' })).body.content;
    expect({ ...item, data: 'not listed' }).toEqual(complete);
  });
});

describe('a thumbnail', () => {
  const stored = expectStored(() => api);
  const picturesOf = (id: number) => api.database.query('select media_type, bytes from content_thumbnail where content_id = $1', [id]);

  it.each<[string, Buffer]>([
    ['image/png', pngOfBytes(524_288)],
    ['image/jpeg', jpeg()],
  ])('is stored with its detected media type, in base64 or as a data URL: %s', async (mediaType, bytes) => {
    const thumbnail = bytes.toString('base64');
    for (const written of [thumbnail, `data:${mediaType};base64,${thumbnail}`])
      expect(await picturesOf(await api.client.upload({ thumbnail: written }))).toEqual([{ mediaType, bytes }]);
    stored.count += 2;
  });

  it('is not contained in the response to an upload or a read', async () => {
    const response = await api.client.tryUpload({ thumbnail: png().toString('base64') });
    stored.count += 1;
    const item = await api.client.get(`/api/content/${response.body.content_id}`);
    for (const { text: body } of [response, item]) expect(body).not.toMatch(/thumbnail|iVBORw0KGgo/);
  });

  it('is absent if it is null or missing, and so are tags', async () => {
    for (const fields of [{}, { thumbnail: null, tags: null }]) {
      const id = await api.client.upload(fields);
      expect(await picturesOf(id)).toEqual([]);
      expect((await api.client.get(`/api/content/${id}?include=tags`)).body.tags).toEqual([]);
    }
    stored.count += 2;
  });

  it('that is no picture makes the upload 400', async () =>
    expectErrors(await api.client.tryUpload({ thumbnail: Buffer.from('<svg/>').toString('base64') }), ['#/thumbnail']));
});
