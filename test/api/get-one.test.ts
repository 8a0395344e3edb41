import { beforeAll, describe, expect, it } from '@jest/globals';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { expectProblem } from '../support/http/problems.ts';
import { startService } from '../support/processes/service.ts';

const USERS = [1, 2, 3];

describe('concurrent reads of one item each', () => {
  const service = forAllTests(() => startService());
  let ids: number[];
  beforeAll(async () => {
    ids = await Promise.all(Array.from({ length: 30 }, (_, n) => service.client.upload({ name: `item ${n}` }, USERS[n % USERS.length])));
  });

  const read = (id: number | string, n: number) => service.client.get(`/api/content/${id}`, USERS[n % USERS.length]);

  it('return the item of their own id, also when several read the same item', async () => {
    const asked = [...ids, ...ids.toReversed(), ...ids.slice(0, 5)];
    const responses = await Promise.all(asked.map(read));
    expect(responses.map(({ body }) => ({ id: body.contentId, name: body.name }))).toEqual(
      asked.map((id) => ({ id, name: `item ${ids.indexOf(id)}` })),
    );
  });

  it('are 404 for missing and deleted items only', async () => {
    const [deleted = 0, ...others] = ids;
    expect((await service.client.send('DELETE', `/api/content/${deleted}`)).status).toBe(204);
    const missing = [deleted, 999_999, Number.MAX_SAFE_INTEGER, '0', 'x'];
    const responses = await Promise.all([...missing, ...others].map(read));
    for (const response of responses.slice(0, missing.length)) expectProblem(response, 404);
    expect(responses.slice(missing.length).map(({ body }) => body.contentId)).toEqual(others);
  });

  it('are all 500 while PostgreSQL fails, and work again afterwards', async () => {
    await service.database.query('alter table content rename to content_away');
    const failed = await Promise.all(ids.slice(1).map(read));
    await service.database.query('alter table content_away rename to content');
    for (const response of failed) expectProblem(response, 500);
    expect((await Promise.all(ids.slice(1).map(read))).map(({ status }) => status)).toEqual(ids.slice(1).map(() => 200));
  });
});
