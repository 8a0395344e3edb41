import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { startApiAlone, type ApiAlone } from '../support/api-alone.ts';
import { head, openSocket, parseRaw } from '../support/raw-http.ts';
import { scrape } from '../support/scrape.ts';
import { tokenOf } from '../support/tokens.ts';
import { until } from '../support/until.ts';

const BODY = JSON.stringify({ creatorId: 1, name: 'x', description: '', version: 1, data: '' });

describe('connections', () => {
  let api: ApiAlone;
  beforeAll(async () => {
    api = await startApiAlone({ CONNECTIONS_MAX: '10' });
  });
  afterAll(() => api.stop());

  const open = (): Socket => openSocket(api.client.baseUrl).on('error', () => undefined);
  async function isServed(socket: Socket): Promise<boolean> {
    socket.write(head('GET', '/health/live'));
    const answered = once(socket, 'data').then(() => true);
    return Promise.race([answered, once(socket, 'close').then(() => false)]);
  }

  it('beyond the limit are dropped, and taken again when another one ends', async () => {
    const sockets = Array.from({ length: 10 }, open);
    for (const socket of sockets) expect(await isServed(socket)).toBe(true);
    expect(await isServed(open())).toBe(false);
    expect((await scrape(api.operationsUrl)).get('ugc_http_connections_dropped_total')).toBeGreaterThan(0);
    for (const socket of sockets) expect(await isServed(socket)).toBe(true);
    sockets[0]?.destroy();
    await until('there is room again', async () => {
      const socket = open();
      const served = await isServed(socket);
      socket.destroy();
      return served;
    });
    for (const socket of sockets) socket.destroy();
  });
});

describe('the bytes of uploads in flight', () => {
  let api: ApiAlone;
  let authorization: string;
  beforeAll(async () => {
    api = await startApiAlone({ BODY_MAX_BYTES: '10000', UPLOADS_IN_FLIGHT_MAX_BYTES: '20000' });
    authorization = `Authorization: Bearer ${await tokenOf(1)}`;
  });
  afterAll(() => api.stop());

  const sockets: Socket[] = [];
  /** Sends everything of an upload but its last byte. */
  async function begin(...headers: string[]): Promise<Socket> {
    const socket = openSocket(api.client.baseUrl).on('error', () => undefined);
    sockets.push(socket);
    socket.write(head('POST', '/content', [authorization, 'Content-Type: application/json', 'Expect: 100-continue', ...headers]));
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    return socket;
  }
  const tryUpload = () => api.client.tryUpload({ data: 'x'.repeat(1_000) });

  it.each([
    ['announced', 'Content-Length: 9999'],
    ['allowed, since they are not announced', 'Transfer-Encoding: chunked'],
  ])('are bounded, as they are %s: what finds no room is 503 before it is read, and taken later', async (_, size) => {
    const [one, other] = [await begin(size), await begin(size)];
    const refused = await tryUpload();
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await api.client.get('/api/content/999')).status).toBe(404);
    one.destroy();
    await until('there is room again', async () => (await tryUpload()).status === 201);
    other.destroy();
  });

  it('count until the upload is answered, and no longer', async () => {
    const padded = BODY.padEnd(9_999);
    for (let round = 0; round < 5; round += 1) {
      const socket = await begin('Content-Length: 9999', 'Connection: close');
      socket.write(padded);
      expect(parseRaw(await text(socket)).status).toBe(201);
    }
  });

  it('do not count while an answer waits for the index because its caller wishes so', async () => {
    const waiting = [await begin('Content-Length: 9999', 'Prefer: wait=10'), await begin('Content-Length: 9999', 'Prefer: wait=10')];
    const answers: Buffer[] = [];
    for (const socket of waiting) socket.on('data', (answer: Buffer) => answers.push(answer)).write(BODY.padEnd(9_999));
    await until('there is room', async () => (await tryUpload()).status === 201);
    expect(answers).toEqual([]);
    for (const socket of waiting) socket.destroy();
  });

  it('do not count for a body that is refused as too large', async () => {
    const [one, other] = [await begin('Content-Length: 9999'), await begin('Content-Length: 9999')];
    expect((await api.client.tryUpload({ data: 'x'.repeat(20_000) })).status).toBe(413);
    one.destroy();
    other.destroy();
  });
});

describe('a reader that does not go on', () => {
  it('is told to read what it has asked for, others are served, and so is it once it has closed its connections', async () => {
    const api = await startApiAlone({ DATA_MAX_CHARACTERS: '4000000', BODY_MAX_BYTES: '9000000', UNREAD_ANSWERS_MAX_BYTES: '20000000' });
    const path = `/api/content/${await api.client.upload({ data: 'ü'.repeat(4_000_000) })}`;
    const ask = async (): Promise<Socket> => {
      const socket = openSocket(api.client.baseUrl).on('error', () => undefined);
      socket.pause().write(head('GET', path, [`Authorization: Bearer ${await tokenOf(1)}`]));
      return socket;
    };
    const sockets = await Promise.all(Array.from({ length: 10 }, ask));
    await until('too much is unread', async () => (await api.client.get('/api/content/999')).status === 429);
    expect(Number((await api.client.get('/api/content/999')).headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await api.client.get('/api/content/999', 2)).status).toBe(404);
    for (const socket of sockets) socket.destroy();
    await until('it is served again', async () => (await api.client.get('/api/content/999')).status === 404);
    await api.stop();
  });
});

describe('a sender that does not go on', () => {
  it('is told so and cut off, and what it held is free again', async () => {
    const api = await startApiAlone({ BODY_MAX_BYTES: '10000', UPLOADS_IN_FLIGHT_MAX_BYTES: '10000' });
    const { hostname, port } = new URL(api.client.baseUrl);
    // It does not hang up when the service does.
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const answer: Buffer[] = [];
    socket.on('data', (bytes) => answer.push(bytes)).on('error', () => undefined);
    const headers = [`Authorization: Bearer ${await tokenOf(1)}`, 'Content-Type: application/json', 'Content-Length: 9999'];
    socket.write(head('POST', '/content', headers));
    await until('it holds all there is', async () => (await api.client.tryUpload()).status === 503);
    await until('it is free again', async () => (await api.client.tryUpload()).status === 201);
    expect(Buffer.concat(answer).toString()).toMatch(/^HTTP\/1\.1 408 /);
    await api.stop();
  });
});
