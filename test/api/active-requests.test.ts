import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { openRequests } from '../support/http/open-requests.ts';
import { scrape } from '../support/http/scrape.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { until } from '../support/jest/until.ts';

/** One user has at most half as many active requests as there are PostgreSQL connections. */
const POOL_SIZE = 4;
const ACTIVE_MAX = 2;
const WAITING_MAX = 200;

describe('the requests of one user', () => {
  const api = forAllTests(() => startApiAlone({ DATABASE_POOL_SIZE: String(POOL_SIZE) }));
  let contentId: number;
  beforeAll(async () => {
    contentId = await api.client.upload();
  });

  const used = async (resource: string) => (await scrape(api.operationsUrl)).get(`ugc_resource_used{resource="${resource}_of_one_user"}`);
  const read = (userId: number) => api.client.get(`/api/content/${contentId}`, userId);
  const waiting = () => used('waiting_requests');

  const requests = openRequests(() => api.client.baseUrl);
  /** Starts uploads without bodies, which stay active until their connections are destroyed. */
  const occupyAllSlots = () => Promise.all(Array.from({ length: ACTIVE_MAX }, () => requests.beginUpload(1, 'Content-Length: 1000')));

  afterEach(async () => {
    requests.destroy();
    await until('no request is active', async () => (await used('active_requests')) === 0);
    expect(await used('waiting_requests')).toBe(0);
  });

  it('all succeed when there are more than the maximum number of active requests', async () => {
    let finished = 0;
    for (let n = 0; n < 3 * ACTIVE_MAX; n += 1) void read(1).finally(() => (finished += 1));
    await until('all have finished', () => finished === 3 * ACTIVE_MAX);
  });

  it('use at most half of the PostgreSQL connections, so that other users are served while edits of a locked item wait', async () => {
    const edits = await api.database.transaction(async (tx) => {
      await tx.query('select 1 from content where content_id = $1 for update', [contentId]);
      const sent = Array.from({ length: 12 }, (_, n) => api.client.send('PATCH', `/api/content/${contentId}`, { name: `name ${n}` }));
      await until('the maximum number is active', async () => ((await used('active_requests')) ?? 0) >= ACTIVE_MAX);
      expect([(await api.client.tryUpload({}, 2)).status, (await read(2)).status]).toEqual([201, 200]);
      expect(await used('active_requests')).toBeLessThanOrEqual(ACTIVE_MAX);
      return sent;
    });
    // 503 if the statement timed out while it waited for the lock.
    for (const { status } of await Promise.all(edits)) expect([200, 503]).toContain(status);
  });

  it('beyond the maximum wait, and succeed when a slot is released', async () => {
    await occupyAllSlots();
    const reads = Array.from({ length: 5 }, () => read(1));
    await until('they wait', async () => (await waiting()) === 5);
    expect((await read(2)).status).toBe(200);
    requests.destroy();
    expect((await Promise.all(reads)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  });

  it('are 429 beyond the maximum number of waiting requests', async () => {
    await occupyAllSlots();
    const reads = Array.from({ length: WAITING_MAX }, () => read(1));
    await until('the maximum number waits', async () => (await waiting()) === WAITING_MAX);
    const excess = await read(1);
    expect(excess.status).toBe(429);
    expect(Number(excess.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await read(2)).status).toBe(200);
    requests.destroy();
    expect(new Set((await Promise.all(reads)).map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('that wait are removed when their clients disconnect', async () => {
    const occupying = await occupyAllSlots();
    const leaving = new AbortController();
    const left = fetch(`${api.client.baseUrl}/api/content/${contentId}`, {
      headers: { authorization: `Bearer ${await tokenOf(1)}` },
      signal: leaving.signal,
    }).catch(() => 'left');
    await until('it waits', async () => (await waiting()) === 1);
    leaving.abort();
    expect(await left).toBe('left');
    await until('no request waits', async () => (await waiting()) === 0);
    // The active requests have not timed out, which would have released their slots.
    expect(occupying.map(({ destroyed, readableEnded }) => destroyed || readableEnded)).toEqual([false, false]);
  });

  it('do not hold a slot while they wait for the index', async () => {
    const uploads = Array.from({ length: ACTIVE_MAX }, () =>
      api.client.send('POST', '/content', { creatorId: 1, name: 'x', description: '', version: 1, data: '' }, 1, { prefer: 'wait=1' }),
    );
    await until(
      'they wait for the index',
      async () => (await scrape(api.operationsUrl)).get('ugc_resource_used{resource="index_waiters"}') === ACTIVE_MAX,
    );
    expect(await used('active_requests')).toBe(0);
    expect((await Promise.all(uploads)).map(({ status }) => status)).toEqual([201, 201]);
  });
});
