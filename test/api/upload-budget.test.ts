import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { openRequests } from '../support/http/open-requests.ts';
import { head, parseRaw } from '../support/http/raw-http.ts';
import { scrape } from '../support/http/scrape.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { until } from '../support/jest/until.ts';

const BODY = JSON.stringify({ creatorId: 1, name: 'x', description: '', version: 1, data: '' });
const chunk = (content: string): string => `${content.length.toString(16)}\r\n${content}\r\n`;

describe('the memory budget for request bodies', () => {
  let api: ApiAlone;
  beforeAll(async () => {
    // The limit is 10,000 bytes per user, the size of the largest body, and 20,000 for the process.
    api = await startApiAlone({ BODY_MAX_BYTES: '10000', UPLOADS_IN_FLIGHT_MAX_BYTES: '20000' });
  });
  afterAll(() => api.stop());
  const requests = openRequests(() => api.client.baseUrl);
  afterEach(() => requests.destroy());

  const tryUpload = (userId = 1) => api.client.tryUpload({ data: 'x'.repeat(1_000) }, userId);
  const reservedBytes = async () => (await scrape(api.operationsUrl)).get('ugc_resource_used{resource="upload_bytes"}');
  const untilReleased = () => until('all memory is released', async () => (await reservedBytes()) === 0);
  afterEach(untilReleased);

  it('is limited per user: further uploads of the user are 429, and other users are served', async () => {
    await requests.beginUpload(1, 'Content-Length: 9999');
    const excess = await tryUpload();
    expect(excess.status).toBe(429);
    expect(Number(excess.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await tryUpload(2)).status).toBe(201);
    expect((await api.client.get('/api/content/999')).status).toBe(404);
  });

  it('is limited for all users: an upload beyond it is 503 before its body is read, and succeeds later', async () => {
    const one = await requests.beginUpload(1, 'Content-Length: 9999');
    await requests.beginUpload(2, 'Content-Length: 9999');
    expect((await tryUpload(3)).status).toBe(503);
    one.destroy();
    await until('an upload succeeds again', async () => (await tryUpload(3)).status === 201);
  });

  it('reserves a Content-Length at once, and the bytes of chunks as they arrive', async () => {
    const chunked = await requests.beginUpload(1, 'Transfer-Encoding: chunked');
    expect(await reservedBytes()).toBe(0);
    chunked.write(chunk(' '.repeat(3_000)));
    await until('the chunk is counted', async () => (await reservedBytes()) === 3_000);
    await requests.beginUpload(2, 'Content-Length: 4000');
    expect(await reservedBytes()).toBe(7_000);
  });

  it('returns 429 for a chunked body that exceeds it', async () => {
    await requests.beginUpload(1, 'Content-Length: 6000');
    const chunked = await requests.beginUpload(1, 'Transfer-Encoding: chunked');
    const response = new Promise<string>((resolve) => chunked.once('data', (bytes: Buffer) => resolve(bytes.toString())));
    chunked.write(chunk(' '.repeat(5_000)));
    expect(parseRaw(await response).status).toBe(429);
    await until('only the other body is counted', async () => (await reservedBytes()) === 6_000);
  });

  it('releases a body when the response is sent', async () => {
    const padded = BODY.padEnd(9_999);
    for (let round = 0; round < 5; round += 1) {
      const socket = await requests.beginUpload(1, 'Content-Length: 9999', 'Connection: close');
      socket.write(padded);
      expect(parseRaw(await text(socket)).status).toBe(201);
    }
  });

  it('releases a body while its request waits for the index because of Prefer: wait', async () => {
    const waiting = await requests.beginUpload(1, 'Content-Length: 9999', 'Prefer: wait=10');
    const responses: Buffer[] = [];
    waiting.on('data', (response: Buffer) => responses.push(response)).write(BODY.padEnd(9_999));
    await until('another upload succeeds', async () => (await tryUpload()).status === 201);
    expect(responses).toEqual([]);
  });

  it('reserves nothing for a body whose Content-Length is too large', async () => {
    await requests.beginUpload(1, 'Content-Length: 9999');
    expect((await api.client.tryUpload({ data: 'x'.repeat(20_000) })).status).toBe(413);
  });

  it('releases a body when its connection is lost', async () => {
    const socket = await requests.beginUpload(1, 'Content-Length: 9999');
    socket.write(BODY);
    expect(await reservedBytes()).toBe(9_999);
    socket.resetAndDestroy();
    await untilReleased();
  });
});

describe('the minimum rate of a body', () => {
  const api = forAllTests(() => startApiAlone({ BODY_MAX_BYTES: '400000' }));

  it('returns 408 for a slower body and releases its memory', async () => {
    const { hostname, port } = new URL(api.client.baseUrl);
    // The client does not close its side when the server does.
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }).on('error', () => undefined);
    const headers = [`Authorization: Bearer ${await tokenOf(1)}`, 'Content-Type: application/json', 'Content-Length: 390000'];
    socket.write(head('POST', '/content', headers) + BODY);
    const { status, headers: responseHeaders, body } = parseRaw(await text(socket));
    expect({ status, connection: responseHeaders['connection'] }).toEqual({ status: 408, connection: 'close' });
    expect(JSON.parse(body).detail).toMatch(/16384 bytes per second/);
    await until(
      'all memory is released',
      async () => (await scrape(api.operationsUrl)).get('ugc_resource_used{resource="upload_bytes"}') === 0,
    );
  });

  it('accepts a body at a higher rate, however long it takes', async () => {
    const requests = openRequests(() => api.client.baseUrl);
    const socket = await requests.beginUpload(1, 'Content-Length: 390000', 'Connection: close');
    const response = text(socket);
    const body = BODY.padEnd(390_000);
    // 50,000 bytes per second take nearly 8 s, longer than the grace period.
    let sent = 0;
    const sending = setInterval(() => {
      socket.write(body.slice(sent, (sent += 5_000)));
      if (sent >= body.length) clearInterval(sending);
    }, 100);
    expect(parseRaw(await response).status).toBe(201);
  });
});
