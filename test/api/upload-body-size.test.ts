import { beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { expectErrors, expectProblem } from '../support/http/problems.ts';
import { head, openSocket, parseRaw, readAnswer, sendRaw, type RawResponse } from '../support/http/raw-http.ts';
import { expectStored } from '../support/database/expect-stored.ts';
import { tokenOf } from '../support/http/tokens.ts';

const LIMIT = 2_097_152;
const BODY = JSON.stringify({ creatorId: 1, name: 'x', description: '', version: 1, data: '' });

/** A valid upload of the given size, padded with white space. */
function bodyOfBytes(bytes: number): string {
  return BODY.padEnd(bytes);
}

describe('the body of an upload', () => {
  const api = forAllTests(() => startApiAlone());
  let authorization: string;
  beforeAll(async () => {
    authorization = `Authorization: Bearer ${await tokenOf(1)}`;
  });

  const stored = expectStored(() => api);

  const upload = (...headers: string[]): string => head('POST', '/content', [authorization, 'Content-Type: application/json', ...headers]);
  const send = async (request: string): Promise<RawResponse> => parseRaw(await sendRaw(api.client.baseUrl, request));
  const chunk = (content: string): string => `${Buffer.byteLength(content).toString(16)}\r\n${content}\r\n`;
  const LAST_CHUNK = '0\r\n\r\n';

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

  it('is 413 with one byte more in chunks', async () => {
    const request = upload('Transfer-Encoding: chunked', 'Connection: close');
    expectTooLarge(await send(`${request}${chunk(bodyOfBytes(LIMIT + 1))}${LAST_CHUNK}`));
  });

  const open = (): Socket => openSocket(api.client.baseUrl).on('error', () => undefined);
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

  it.each<[string, number, () => string]>([
    ['the Content-Length is too large', 413, () => upload('Content-Length: 20000000')],
    ['a chunked body is too large', 413, () => upload('Transfer-Encoding: chunked')],
    [
      'the content type is wrong',
      415,
      () => head('POST', '/content', [authorization, 'Content-Type: text/plain', 'Content-Length: 20000000']),
    ],
    ['there is no token', 403, () => head('POST', '/content', ['Content-Type: application/json', 'Content-Length: 20000000'])],
    ['there is no such path', 404, () => head('POST', '/uploads', [authorization, 'Content-Length: 20000000'])],
  ])('is discarded, so that a client that sends all of it first can read the response: %s', async (_, status, request) => {
    const socket = open().pause();
    const isChunked = request().includes('chunked');
    const body = bodyOfBytes(20_000_000);
    const written = new Promise<unknown>((resolve) => {
      socket.write(request());
      socket.write(isChunked ? `${chunk(body)}${LAST_CHUNK}` : body, resolve);
    });
    expect(await written).toBeFalsy();
    expect((await readAnswer(socket.resume())).status).toBe(status);
    socket.destroy();
  });

  it('is requested with 100 Continue and then read', async () => {
    const socket = openSocket(api.client.baseUrl);
    socket.write(upload(`Content-Length: ${BODY.length}`, 'Expect: 100-continue', 'Connection: close'));
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(BODY);
    expect(parseRaw(await text(socket)).status).toBe(201);
    stored.count += 1;
  });

  it.each<[string, number, () => string]>([
    ['it is too large', 413, () => upload('Content-Length: 52428800', 'Expect: 100-continue')],
    [
      'the content type is wrong',
      415,
      () =>
        head('POST', '/content', [
          authorization,
          'Content-Type: text/plain',
          'Content-Length: 10',
          'Expect: 100-continue',
          'Connection: close',
        ]),
    ],
    ['it is compressed', 415, () => upload('Content-Encoding: gzip', 'Content-Length: 10', 'Expect: 100-continue', 'Connection: close')],
    [
      'there is no token',
      403,
      () => head('POST', '/content', ['Content-Type: application/json', 'Content-Length: 10', 'Expect: 100-continue', 'Connection: close']),
    ],
    [
      'there is no such path',
      404,
      () => head('POST', '/uploads', [authorization, 'Content-Length: 10', 'Expect: 100-continue', 'Connection: close']),
    ],
  ])('is not requested with 100 Continue when %s', async (_, status, request) => {
    const response = await sendRaw(api.client.baseUrl, request());
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

describe('with configured limits,', () => {
  const api = forAllTests(() => startApiAlone(limits));
  const limits = { BODY_MAX_BYTES: '2048', NAME_MAX_CHARACTERS: '3', DESCRIPTION_MAX_CHARACTERS: '4', DATA_MAX_CHARACTERS: '5', TAGS_MAX: '1', TAG_MAX_CHARACTERS: '2' }; // prettier-ignore

  it('an upload is accepted up to the limits and 400 or 413 above them', async () => {
    expect((await api.client.tryUpload({ name: 'abc', description: 'abcd', data: 'abcde', tags: ['ab'] })).status).toBe(201);
    const invalid = await api.client.tryUpload({ name: 'abcd', description: 'abcde', data: 'abcdef', tags: ['abc'] });
    const pointers = expectProblem(invalid, 400).errors?.map(({ pointer }) => pointer);
    expect(pointers?.toSorted()).toEqual(['#/data', '#/description', '#/name', '#/tags/0']);
    expectErrors(await api.client.tryUpload({ name: 'abc', tags: ['a', 'b'] }), ['#/tags']);
    expectProblem(await api.client.tryUpload({ name: 'abc', extra: 'a'.repeat(2_048) }), 413);
  });
});
