import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { scrape } from '../support/http/scrape.ts';
import { startService, type Service } from '../support/processes/service.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { until } from '../support/jest/until.ts';

const DATA = 'ü'.repeat(50_000);

describe('large pages', () => {
  let service: Service;
  beforeAll(async () => {
    // A page of all items takes 1 MB. All users together may hold one of the largest besides small ones.
    service = await startService({ PAGE_MAX_BYTES: '1250000', LISTS_IN_FLIGHT_MAX_BYTES: '2000000' });
    for (let n = 0; n < 10; n += 1) await service.client.upload({ name: `item ${n}`, data: DATA });
    await service.indexed();
  });
  afterAll(() => service.stop());

  const list = (userId: number, size = 10) => service.client.get(`/api/content?size=${size}&sort=contentId`, userId);
  const used = async (resource: string) => (await scrape(service.operationsUrl)).get(`ugc_resource_used{resource="${resource}"}`);
  const reservedBytes = () => used('list_bytes');

  it('contain every item and field completely', async () => {
    const { status, body } = await list(1);
    expect(status).toBe(200);
    expect(body).toMatchObject({ totalElements: 10, numberOfElements: 10, first: true, last: true });
    expect(body.content.map(({ name }: { name: string }) => name)).toEqual(Array.from({ length: 10 }, (_, n) => `item ${n}`));
    for (const { data } of body.content) expect(data === DATA).toBe(true);
  });

  it('of one user and of several wait for their turns, and all succeed', async () => {
    const users = [1, 1, 2, 2, 3, 4];
    // Equal lists would be read once.
    const responses = await Promise.all(users.map((userId, n) => list(userId, 10 + n)));
    expect(responses.map(({ status }) => status)).toEqual(users.map(() => 200));
    await until('all reserved bytes are released', async () => (await reservedBytes()) === 0);
  });

  it('whose clients leave while they are rendered do not make those of others fail', async () => {
    for (let round = 0; round < 8; round += 1) {
      const leaving = new AbortController();
      const headers = { authorization: `Bearer ${await tokenOf(1)}` };
      const url = `${service.client.baseUrl}/api/content?size=${30 + round}`;
      const left = fetch(url, { headers, signal: leaving.signal }).catch(() => undefined);
      const others = { areRead: false, responses: Promise.all([2, 3, 4].map((userId) => list(userId, 10 + userId))) };
      void others.responses.finally(() => (others.areRead = true));
      // On a busy machine all pages may be rendered between two looks.
      await until('a page is rendered', async () => others.areRead || ((await used('rendering_threads')) ?? 0) > 0);
      leaving.abort();
      await left;
      expect((await others.responses).map(({ status }) => status)).toEqual([200, 200, 200]);
    }
    await until('no page is rendered', async () => (await used('rendering_threads')) === 0);
  });

  it('that exceed PAGE_MAX_BYTES return 400 and release their bytes', async () => {
    for (let n = 10; n < 13; n += 1) await service.client.upload({ name: `item ${n}`, data: DATA });
    await service.indexed();
    const response = await service.client.get('/api/content?size=20', 1);
    expect(response).toMatchObject({ status: 400, body: { errors: [{ parameter: 'size' }] } });
    await until('all reserved bytes are released', async () => (await reservedBytes()) === 0);
  });
});
