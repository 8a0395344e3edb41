import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { storeContent } from '../support/database/stored-content.ts';
import { openRequests } from '../support/http/open-requests.ts';
import { head } from '../support/http/raw-http.ts';
import { scrape } from '../support/http/scrape.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { until } from '../support/jest/until.ts';

describe('unread responses of a user', () => {
  const api = forAllTests(() => startApiAlone({ UNREAD_ANSWERS_MAX_BYTES: '20000000' }));
  let path: string;
  beforeAll(async () => {
    // On a slow machine, an upload of this size could take longer than the API lets a statement run.
    path = `/api/content/${(await storeContent(api.database, [{ data: 'ü'.repeat(4_000_000) }]))[0]}`;
  });
  const requests = openRequests(() => api.client.baseUrl);

  async function requestWithoutReading(userId = 1): Promise<void> {
    requests
      .open()
      .pause()
      .write(head('GET', path, [`Authorization: Bearer ${await tokenOf(userId)}`]));
  }
  const used = async (resource: string) => (await scrape(api.operationsUrl)).get(`ugc_resource_used{resource="${resource}"}`) ?? NaN;

  /** On a slow machine PostgreSQL may time out for some of the large reads, so this repeats them. */
  async function isLimitReached(): Promise<boolean> {
    if ((await used('active_requests_of_one_user')) === 0) await Promise.all(Array.from({ length: 10 }, () => requestWithoutReading()));
    return (await api.client.get('/api/content/999')).status === 429;
  }

  it('are limited: further requests are 429 until they are read or closed, and other users are served', async () => {
    await until('the limit is reached', isLimitReached);
    expect(Number((await api.client.get('/api/content/999')).headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await api.client.get('/api/content/999', 2)).status).toBe(404);
    requests.destroy();
    await until('requests succeed again', async () => (await api.client.get('/api/content/999')).status === 404);
    await until('no response is unread', async () => (await used('unread_response_bytes')) === 0);
  });

  it('are closed above the limit of all users: those of the user with the most, so that others are served completely', async () => {
    const LIMIT = 40_000_000;
    const add = async (userId: number): Promise<void> => {
      const before = await used('unread_response_bytes');
      await until('another response is unread', async () => {
        if ((await used('unread_response_bytes')) > before) return true;
        if ((await used('active_requests_of_one_user')) === 0) await requestWithoutReading(userId);
        return false;
      });
    };
    const isServed = async (): Promise<boolean> => (await api.client.get(path, 3)).body?.data?.length === 4_000_000;
    // 24 MB and 16 MB.
    for (const userId of [1, 1, 1, 2]) await add(userId);
    await until('another user is served', isServed);
    await add(2);
    expect(await used('unread_response_bytes')).toBeLessThanOrEqual(LIMIT);
    await until('another user is served', isServed);
    expect(await used('unread_response_bytes_of_one_user')).toBeLessThan(20_000_000);
    requests.destroy();
    await until('no response is unread', async () => (await used('unread_response_bytes')) === 0);
  });
});
