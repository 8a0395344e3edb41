import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { startApiAlone, type ApiAlone } from '../support/api-alone.ts';
import { openRequests } from '../support/open-requests.ts';
import { head, parseRaw } from '../support/raw-http.ts';
import { scrape } from '../support/scrape.ts';
import { tokenOf } from '../support/tokens.ts';
import { until } from '../support/until.ts';

const BODY = JSON.stringify({ creatorId: 1, name: 'x', description: '', version: 1, data: '' });
const chunk = (content: string): string => `${content.length.toString(16)}\r\n${content}\r\n`;

describe('the room for request bodies', () => {
  let api: ApiAlone;
  beforeAll(async () => {
    // One user may hold 10,000 bytes, the largest body; all together 20,000.
    api = await startApiAlone({ BODY_MAX_BYTES: '10000', UPLOADS_IN_FLIGHT_MAX_BYTES: '20000' });
  });
  afterAll(() => api.stop());
  const requests = openRequests(() => api.client.baseUrl);
  afterEach(() => requests.destroy());

  const tryUpload = (userId = 1) => api.client.tryUpload({ data: 'x'.repeat(1_000) }, userId);
  const heldBytes = async () => (await scrape(api.operationsUrl)).get('ugc_resource_used{resource="upload_bytes"}');
  const untilFree = () => until('no room is held', async () => (await heldBytes()) === 0, 20_000);
  afterEach(untilFree);

  it('has a share for each user: who holds all of it is answered 429, and others are served', async () => {
    await requests.beginUpload(1, 'Content-Length: 9999');
    const refused = await tryUpload();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await tryUpload(2)).status).toBe(201);
    expect((await api.client.get('/api/content/999')).status).toBe(404);
  });

  it('is bounded for all users: an upload that finds none is 503 before it is read, and is taken later', async () => {
    const one = await requests.beginUpload(1, 'Content-Length: 9999');
    await requests.beginUpload(2, 'Content-Length: 9999');
    expect((await tryUpload(3)).status).toBe(503);
    one.destroy();
    await until('there is room again', async () => (await tryUpload(3)).status === 201);
  });

  it('is reserved for an announced length at once, and for chunks as they arrive', async () => {
    const chunked = await requests.beginUpload(1, 'Transfer-Encoding: chunked');
    expect(await heldBytes()).toBe(0);
    chunked.write(chunk(' '.repeat(3_000)));
    await until('the chunk is counted', async () => (await heldBytes()) === 3_000, 5_000);
    await requests.beginUpload(2, 'Content-Length: 4000');
    expect(await heldBytes()).toBe(7_000);
  });

  it('ends a chunked body that outgrows it, with an answer', async () => {
    await requests.beginUpload(1, 'Content-Length: 6000');
    const chunked = await requests.beginUpload(1, 'Transfer-Encoding: chunked');
    const answer = new Promise<string>((resolve) => chunked.once('data', (bytes: Buffer) => resolve(bytes.toString())));
    chunked.write(chunk(' '.repeat(5_000)));
    expect(parseRaw(await answer).status).toBe(429);
    await until('only the other body is counted', async () => (await heldBytes()) === 6_000);
  });

  it('is held until the upload is answered, and no longer', async () => {
    const padded = BODY.padEnd(9_999);
    for (let round = 0; round < 5; round += 1) {
      const socket = await requests.beginUpload(1, 'Content-Length: 9999', 'Connection: close');
      socket.write(padded);
      expect(parseRaw(await text(socket)).status).toBe(201);
    }
  });

  it('is not held while an answer waits for the index because its caller asked for that', async () => {
    const waiting = await requests.beginUpload(1, 'Content-Length: 9999', 'Prefer: wait=10');
    const answers: Buffer[] = [];
    waiting.on('data', (answer: Buffer) => answers.push(answer)).write(BODY.padEnd(9_999));
    await until('there is room', async () => (await tryUpload()).status === 201);
    expect(answers).toEqual([]);
  });

  it('is not reserved for a body that is announced as too large', async () => {
    await requests.beginUpload(1, 'Content-Length: 9999');
    expect((await api.client.tryUpload({ data: 'x'.repeat(20_000) })).status).toBe(413);
  });

  it('is free again when a connection breaks in the middle of a body', async () => {
    const socket = await requests.beginUpload(1, 'Content-Length: 9999');
    socket.write(BODY);
    expect(await heldBytes()).toBe(9_999);
    socket.resetAndDestroy();
    await untilFree();
  });
});

describe('a body that arrives too slowly', () => {
  let api: ApiAlone;
  beforeAll(async () => {
    api = await startApiAlone({ BODY_MAX_BYTES: '400000' });
  });
  afterAll(() => api.stop());

  it('is ended with 408, and its room is free again', async () => {
    const { hostname, port } = new URL(api.client.baseUrl);
    // It does not hang up when the service does.
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }).on('error', () => undefined);
    const headers = [`Authorization: Bearer ${await tokenOf(1)}`, 'Content-Type: application/json', 'Content-Length: 390000'];
    socket.write(head('POST', '/content', headers) + BODY);
    const { status, headers: answered, body } = parseRaw(await text(socket));
    expect({ status, connection: answered['connection'] }).toEqual({ status: 408, connection: 'close' });
    expect(JSON.parse(body).detail).toMatch(/16384 bytes per second/);
    await until('no room is held', async () => (await scrape(api.operationsUrl)).get('ugc_resource_used{resource="upload_bytes"}') === 0);
  });

  it('is not one that keeps to the minimum rate, however long it takes', async () => {
    const requests = openRequests(() => api.client.baseUrl);
    const socket = await requests.beginUpload(1, 'Content-Length: 390000', 'Connection: close');
    const answer = text(socket);
    const body = BODY.padEnd(390_000);
    // 50,000 bytes a second: nearly eight seconds, more than the grace that every body has.
    let sent = 0;
    const sending = setInterval(() => {
      socket.write(body.slice(sent, (sent += 5_000)));
      if (sent >= body.length) clearInterval(sending);
    }, 100);
    expect(parseRaw(await answer).status).toBe(201);
  });
});
