import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import { openRequests } from '../support/http/open-requests.ts';
import { head, parseRaw } from '../support/http/raw-http.ts';
import { scrape } from '../support/http/scrape.ts';
import { until } from '../support/jest/until.ts';

const LIMIT = 10;
const CROWDED = 9;
const bodyOf = (userId: number): string => JSON.stringify({ creatorId: userId, name: 'x', description: '', version: 1, data: '' });
const lengthOf = (userId: number): string[] => [`Content-Length: ${bodyOf(userId).length}`, 'Connection: close'];

describe('connections', () => {
  let api: ApiAlone;
  const requests = openRequests(() => api.client.baseUrl);
  beforeEach(async () => {
    api = await startApiAlone({ CONNECTIONS_MAX: String(LIMIT) });
  });
  afterEach(async () => {
    requests.destroy();
    await api.stop();
  });

  const openMany = (count: number): Socket[] => Array.from({ length: count }, () => requests.open());
  const insertUsers = async (): Promise<number[]> => {
    const insert = `insert into users (username, credential) select n, n from generate_series(1, $1::int) n returning user_id`;
    return (await api.database.query<{ userId: number }>(insert, [LIMIT])).map((row) => row.userId);
  };
  const gauge = async (name: string) => (await scrape(api.operationsUrl)).get(name) ?? NaN;
  const used = () => gauge('ugc_resource_used{resource="connections"}');
  /** @returns the response to a health check on this connection; undefined when the connection is closed instead */
  async function checkHealth(socket: Socket): Promise<string | undefined> {
    socket.write(head('GET', '/health/live'));
    const responded = once(socket, 'data').then(([bytes]) => String(bytes));
    return Promise.race([responded, once(socket, 'close').then(() => undefined)]);
  }

  it('stay open between requests below 80 % of the limit, and close after the next response above it', async () => {
    const [first] = openMany(1) as [Socket];
    expect(await checkHealth(first)).toMatch(/connection: keep-alive/i);
    openMany(CROWDED - 1);
    await until('they are open', async () => (await used()) === CROWDED);
    expect(await checkHealth(first)).toMatch(/connection: close/i);
    await once(first, 'close');
  });

  it('that are idle are closed near the limit, so that new clients can connect', async () => {
    const kept = openMany(CROWDED - 1);
    for (const socket of kept) expect(await checkHealth(socket)).toMatch(/connection: keep-alive/i);
    openMany(LIMIT - kept.length);
    await until('they are open', async () => (await used()) === LIMIT);
    await until('a new client is served', async () => (await checkHealth(requests.open())) !== undefined);
    expect(await gauge('ugc_http_connections_dropped_total')).toBeGreaterThan(0);
    // The keep-alive timeout alone would close the connection only after 65 s.
    await until('the connection with the longest idle time is closed', () => kept[0]?.destroyed || kept[0]?.readableEnded || false, 60_000);
  });

  it('on which a request arrives slowly are closed near the limit like idle ones, before the time for a header is over', async () => {
    const slow = openMany(LIMIT);
    const received: string[] = [];
    const closed = slow.map((socket) =>
      once(
        socket.on('data', (bytes: Buffer) => received.push(bytes.toString())),
        'close',
      ),
    );
    for (const socket of slow) socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
    const writing = setInterval(() => {
      for (const socket of slow.filter(({ writable }) => writable)) socket.write('a');
    }, 500);
    await Promise.race(closed).finally(() => clearInterval(writing));
    // After the time for a header, it would be 408.
    expect(received).toEqual([]);
    await until('a new client is served', async () => (await checkHealth(requests.open())) !== undefined);
  });

  it('at the limit that have not sent a request are closed for a new client, the oldest first', async () => {
    const silent = openMany(LIMIT);
    await until('they are open', async () => (await used()) === LIMIT);
    const closed: number[] = [];
    for (const [n, socket] of silent.entries()) socket.once('close', () => closed.push(n));
    for (let n = 0; n < 3; n += 1) expect(await checkHealth(requests.open())).toMatch(/200 OK/);
    await until('the oldest is closed', () => closed.length > 0);
    expect(closed[0]).toBe(0);
    expect(await gauge('ugc_http_connections_dropped_total')).toBeGreaterThan(0);
  });

  it('with an active request are never closed, and new ones beyond the limit are dropped', async () => {
    // One user each: while the event loop is busy, a user has fewer slots, and further uploads would wait.
    const users = await insertUsers();
    const uploads = await Promise.all(
      // Without an indexer each is active for 8 s, longer than the idle time after which a connection is closed.
      users.map((userId) => requests.beginUpload(userId, ...lengthOf(userId), 'Prefer: wait=8')),
    );
    const responses = uploads.map((socket) => text(socket));
    expect(await checkHealth(requests.open())).toBeUndefined();
    // No connection is idle, so none can be closed. The grace period of the request bodies is five seconds.
    expect(await checkHealth(requests.open())).toBeUndefined();
    for (const [n, socket] of uploads.entries()) socket.write(bodyOf(users[n] ?? NaN));
    for (const response of responses) expect(parseRaw(await response).status).toBe(201);
  });

  it('at the limit do not affect the operations port', async () => {
    openMany(LIMIT);
    await until('they are open', async () => (await used()) === LIMIT);
    expect((await fetch(`${api.operationsUrl}/health/live`)).status).toBe(200);
  });
});
