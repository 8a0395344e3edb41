import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { scrape } from '../support/scrape.ts';
import { startService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

const MIB = 1_048_576;
const DATA = 'ü'.repeat(250_000);

describe('large pages', () => {
  let service: Service;
  beforeAll(async () => {
    // A page of all items takes 5 MB; one user may hold 6 MiB, all together 8 MiB.
    service = await startService({ PAGE_MAX_BYTES: String(6 * MIB), LISTS_IN_FLIGHT_MAX_BYTES: String(8 * MIB) });
    for (let n = 0; n < 10; n += 1) await service.client.upload({ name: `item ${n}`, data: DATA });
    await service.indexed();
  });
  afterAll(() => service.stop());

  const list = (userId: number) => service.client.get('/api/content?size=10&sort=contentId', userId);
  const heldBytes = async () => (await scrape(service.operationsUrl)).get('ugc_resource_used{resource="list_bytes"}');

  it('are complete', async () => {
    const { status, body } = await list(1);
    expect(status).toBe(200);
    expect(body).toMatchObject({ totalElements: 10, numberOfElements: 10, first: true, last: true });
    expect(body.content.map(({ name }: { name: string }) => name)).toEqual(Array.from({ length: 10 }, (_, n) => `item ${n}`));
    for (const { data } of body.content) expect(data === DATA).toBe(true);
  });

  it('of one user at a time are bounded by their bytes: what is beyond is 429, and taken later', async () => {
    // Lists that are asked for together need not be made together.
    await until(
      'some are refused',
      async () => {
        const answers = await Promise.all(Array.from({ length: 5 }, () => list(1)));
        for (const { status } of answers) expect([200, 429]).toContain(status);
        const refused = answers.find(({ status }) => status === 429);
        if (refused) expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
        return refused !== undefined;
      },
      20_000,
    );
    await until('no bytes are held', async () => (await heldBytes()) === 0, 20_000);
    expect((await list(1)).status).toBe(200);
  });

  it('that are refused as too large hold nothing', async () => {
    for (let n = 10; n < 13; n += 1) await service.client.upload({ name: `item ${n}`, data: DATA });
    await service.indexed();
    const refused = await service.client.get('/api/content?size=20', 1);
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ parameter: 'size' }] } });
    await until('no bytes are held', async () => (await heldBytes()) === 0);
  });
});
