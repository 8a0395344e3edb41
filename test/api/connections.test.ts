import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { startApiAlone, type ApiAlone } from '../support/api-alone.ts';
import { openRequests } from '../support/open-requests.ts';
import { head, parseRaw } from '../support/raw-http.ts';
import { scrape } from '../support/scrape.ts';
import { until } from '../support/until.ts';

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
  const gauge = async (name: string) => (await scrape(api.operationsUrl)).get(name) ?? NaN;
  const used = () => gauge('ugc_resource_used{resource="connections"}');
  /** @returns the answer to a health check on this connection, undefined when it is closed instead */
  async function ask(socket: Socket): Promise<string | undefined> {
    socket.write(head('GET', '/health/live'));
    const answered = once(socket, 'data').then(([bytes]) => String(bytes));
    return Promise.race([answered, once(socket, 'close').then(() => undefined)]);
  }

  it('are kept open between requests below 80 % of the limit, and given up with the next answer above', async () => {
    const [first] = openMany(1) as [Socket];
    expect(await ask(first)).toMatch(/connection: keep-alive/i);
    openMany(CROWDED - 1);
    await until('they are open', async () => (await used()) === CROWDED);
    expect(await ask(first)).toMatch(/connection: close/i);
    await once(first, 'close');
  });

  it('that lie idle make room for new callers', async () => {
    const kept = openMany(CROWDED - 1);
    for (const socket of kept) expect(await ask(socket)).toMatch(/connection: keep-alive/i);
    openMany(LIMIT - kept.length);
    await until('they are open', async () => (await used()) === LIMIT);
    await until('a new caller is served', async () => (await ask(requests.open())) !== undefined);
    expect(await gauge('ugc_http_connections_dropped_total')).toBeGreaterThan(0);
    // A minute before their time: otherwise a connection that has served a request is kept for 65 s.
    await until('the one that was idle for longest is closed', () => kept[0]?.destroyed || kept[0]?.readableEnded || false, 30_000);
  });

  it('with a request under way are never closed for that, and beyond the limit new ones are dropped', async () => {
    // Three users, since one may not have that many requests at work.
    const uploads = await Promise.all(
      // Without an indexer they are under way for eight seconds: longer than a connection may be idle.
      Array.from({ length: LIMIT }, (_, n) => requests.beginUpload((n % 3) + 1, ...lengthOf((n % 3) + 1), 'Prefer: wait=8')),
    );
    const answers = uploads.map((socket) => text(socket));
    expect(await ask(requests.open())).toBeUndefined();
    // No idle connection is left, so there is nothing to close for a new one; a body may take its first five seconds.
    expect(await ask(requests.open())).toBeUndefined();
    for (const [n, socket] of uploads.entries()) socket.write(bodyOf((n % 3) + 1));
    for (const answer of answers) expect(parseRaw(await answer).status).toBe(201);
  });

  it('that lie idle do not keep the operations port from answering', async () => {
    openMany(LIMIT);
    await until('they are open', async () => (await used()) === LIMIT);
    expect((await fetch(`${api.operationsUrl}/health/live`)).status).toBe(200);
  });
});
