import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startApiAlone, type ApiAlone } from '../support/api-alone.ts';
import { openRequests } from '../support/open-requests.ts';
import { scrape } from '../support/scrape.ts';
import { tokenOf } from '../support/tokens.ts';
import { until } from '../support/until.ts';

/** Half of the connections to PostgreSQL are one user's at most. */
const POOL_SIZE = 4;
const AT_WORK = 2;
const WAITING = 200;

describe('the requests of one user', () => {
  let api: ApiAlone;
  let contentId: number;
  beforeAll(async () => {
    api = await startApiAlone({ DATABASE_POOL_SIZE: String(POOL_SIZE) });
    contentId = await api.client.upload();
  });
  afterAll(() => api.stop());

  const used = async (resource: string) => (await scrape(api.operationsUrl)).get(`ugc_resource_used{resource="${resource}_of_one_user"}`);
  const read = (userId: number) => api.client.get(`/api/content/${contentId}`, userId);
  const waiting = () => used('requests_waiting');

  const requests = openRequests(() => api.client.baseUrl);
  /** Uploads whose bodies do not come: they are at work until they are taken away. */
  const occupyAllSlots = () => Promise.all(Array.from({ length: AT_WORK }, () => requests.beginUpload(1, 'Content-Length: 1000')));

  afterEach(async () => {
    requests.destroy();
    await until('nothing is at work', async () => (await used('requests_at_work')) === 0, 20_000);
    expect(await used('requests_waiting')).toBe(0);
  });

  it('are worked on one after the other when there are more than may be at work', async () => {
    let answered = 0;
    for (let n = 0; n < 3 * AT_WORK; n += 1) void read(1).finally(() => (answered += 1));
    await until('all are answered', () => answered === 3 * AT_WORK, 10_000);
  });

  it('take at most half of the connections to PostgreSQL: others are answered while all edits of a locked item wait', async () => {
    const edits = await api.database.transaction(async (tx) => {
      await tx.query('select 1 from content where content_id = $1 for update', [contentId]);
      const sent = Array.from({ length: 12 }, (_, n) => api.client.send('PATCH', `/api/content/${contentId}`, { name: `name ${n}` }));
      await until('some are at work', async () => ((await used('requests_at_work')) ?? 0) >= AT_WORK);
      expect([(await api.client.tryUpload({}, 2)).status, (await read(2)).status]).toEqual([201, 200]);
      expect(await used('requests_at_work')).toBeLessThanOrEqual(AT_WORK);
      return sent;
    });
    // 503 when the lock was held for longer than a statement may take.
    for (const { status } of await Promise.all(edits)) expect([200, 503]).toContain(status);
  });

  it('beyond that wait unread, and are answered when there is a slot', async () => {
    await occupyAllSlots();
    const reads = Array.from({ length: 5 }, () => read(1));
    await until('they wait', async () => (await waiting()) === 5);
    expect((await read(2)).status).toBe(200);
    requests.destroy();
    expect((await Promise.all(reads)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  });

  it('wait in bounded number; further ones are 429', async () => {
    await occupyAllSlots();
    const reads = Array.from({ length: WAITING }, () => read(1));
    await until('as many wait as may', async () => (await waiting()) === WAITING);
    const refused = await read(1);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await read(2)).status).toBe(200);
    requests.destroy();
    expect(new Set((await Promise.all(reads)).map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('that wait are forgotten when their callers leave', async () => {
    const occupying = await occupyAllSlots();
    const leaving = new AbortController();
    const left = fetch(`${api.client.baseUrl}/api/content/${contentId}`, {
      headers: { authorization: `Bearer ${await tokenOf(1)}` },
      signal: leaving.signal,
    }).catch(() => 'left');
    await until('it waits', async () => (await waiting()) === 1);
    leaving.abort();
    expect(await left).toBe('left');
    await until('nobody waits', async () => (await waiting()) === 0);
    // Neither of those at work has been refused for its missing body, which would have made room.
    expect(occupying.map(({ destroyed, readableEnded }) => destroyed || readableEnded)).toEqual([false, false]);
  });

  it('hold no slot while they wait for the index', async () => {
    const uploads = Array.from({ length: AT_WORK }, () =>
      api.client.send('POST', '/content', { creatorId: 1, name: 'x', description: '', version: 1, data: '' }, 1, { prefer: 'wait=1' }),
    );
    await until(
      'they wait for the index',
      async () => (await scrape(api.operationsUrl)).get('ugc_resource_used{resource="index_waiters"}') === AT_WORK,
    );
    expect(await used('requests_at_work')).toBe(0);
    expect((await Promise.all(uploads)).map(({ status }) => status)).toEqual([201, 201]);
  });
});
