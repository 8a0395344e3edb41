import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApiAlone, type ApiAlone } from '../support/api-alone.ts';
import { openRequests } from '../support/open-requests.ts';
import { head } from '../support/raw-http.ts';
import { scrape } from '../support/scrape.ts';
import { tokenOf } from '../support/tokens.ts';
import { until } from '../support/until.ts';

describe('answers that their user does not read', () => {
  let api: ApiAlone;
  let path: string;
  beforeAll(async () => {
    api = await startApiAlone({ DATA_MAX_CHARACTERS: '4000000', BODY_MAX_BYTES: '9000000', UNREAD_ANSWERS_MAX_BYTES: '20000000' });
    path = `/api/content/${await api.client.upload({ data: 'ü'.repeat(4_000_000) })}`;
  });
  afterAll(() => api.stop());
  const requests = openRequests(() => api.client.baseUrl);

  async function askWithoutReading(): Promise<void> {
    requests
      .open()
      .pause()
      .write(head('GET', path, [`Authorization: Bearer ${await tokenOf(1)}`]));
  }

  it('are bounded: the user is told to read them, others are served, and so is the user once the connections are closed', async () => {
    await Promise.all(Array.from({ length: 10 }, askWithoutReading));
    await until('too much is unread', async () => (await api.client.get('/api/content/999')).status === 429, 20_000);
    expect(Number((await api.client.get('/api/content/999')).headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await api.client.get('/api/content/999', 2)).status).toBe(404);
    requests.destroy();
    await until('it is served again', async () => (await api.client.get('/api/content/999')).status === 404);
    const unread = async () => (await scrape(api.operationsUrl)).get('ugc_resource_used{resource="unread_bytes_of_one_user"}');
    await until('nothing is unread', async () => (await unread()) === 0);
  });
});
