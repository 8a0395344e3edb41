import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { scrape } from '../support/scrape.ts';
import { startService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

const MIB = 1_048_576;
const DATA = 'ü'.repeat(250_000);

describe('large pages', () => {
  let service: Service;
  beforeAll(async () => {
    // A page of all items takes 5 MB; the limit is 6 MiB per user and 8 MiB per process.
    service = await startService({ PAGE_MAX_BYTES: String(6 * MIB), LISTS_IN_FLIGHT_MAX_BYTES: String(8 * MIB) });
    for (let n = 0; n < 10; n += 1) await service.client.upload({ name: `item ${n}`, data: DATA });
    await service.indexed();
  });
  afterAll(() => service.stop());

  const list = (userId: number, size = 10) => service.client.get(`/api/content?size=${size}&sort=contentId`, userId);
  const reservedBytes = async () => (await scrape(service.operationsUrl)).get('ugc_resource_used{resource="list_bytes"}');

  it('contain every item and field completely', async () => {
    const { status, body } = await list(1);
    expect(status).toBe(200);
    expect(body).toMatchObject({ totalElements: 10, numberOfElements: 10, first: true, last: true });
    expect(body.content.map(({ name }: { name: string }) => name)).toEqual(Array.from({ length: 10 }, (_, n) => `item ${n}`));
    for (const { data } of body.content) expect(data === DATA).toBe(true);
  });

  it('that exceed the byte limit of one user return 429 and succeed later', async () => {
    // Requests that are sent together are not always processed together.
    await until('a list returns 429', async () => {
      // Equal lists that arrive together would be read once.
      const responses = await Promise.all(Array.from({ length: 5 }, (_, n) => list(1, 10 + n)));
      // A busy machine may end a list by its time-out.
      if (responses.some(({ status }) => status === 500)) return false;
      for (const { status } of responses) expect([200, 429]).toContain(status);
      const limited = responses.find(({ status }) => status === 429);
      if (limited) expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
      return limited !== undefined;
    });
    await until('all reserved bytes are released', async () => (await reservedBytes()) === 0);
    expect((await list(1)).status).toBe(200);
  });

  it('that exceed PAGE_MAX_BYTES return 400 and release their bytes', async () => {
    for (let n = 10; n < 13; n += 1) await service.client.upload({ name: `item ${n}`, data: DATA });
    await service.indexed();
    const response = await service.client.get('/api/content?size=20', 1);
    expect(response).toMatchObject({ status: 400, body: { errors: [{ parameter: 'size' }] } });
    await until('all reserved bytes are released', async () => (await reservedBytes()) === 0);
  });
});
