import { describe, expect, it } from '@jest/globals';
import { eraseUser } from '@ugc/items/people/erase-user';
import { storeContent } from '../support/database/stored-content.ts';
import { expectProblem } from '../support/http/problems.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';
import { apiCommand, failureOf } from '../support/processes/command.ts';
import { startService } from '../support/processes/service.ts';

describe('a creator', () => {
  const service = forAllTests(() => startService());
  let last = 100;
  /** @returns a user with these items, which lists show */
  const createUser = async (...items: Parameters<typeof storeContent>[1]): Promise<number> => {
    last += 1;
    await service.database.query(`insert into users (user_id, username, credential) values ($1, $2, $3)`, [
      last,
      `User ${last}`,
      `t|${last}`,
    ]);
    await storeContent(service.database, items.map((item) => ({ ...item, creatorId: last }))); // prettier-ignore
    await service.indexed();
    return last;
  };
  const read = (userId: number | string, asUser?: number) => service.client.get(`/api/users/${userId}`, asUser);
  const isUnknown = async (userId: number | string): Promise<unknown> => expectProblem(await read(userId), 404, 'user-unknown');

  it('has the name, the number, the downloads and the begin of the items that lists show', async () => {
    const userId = await createUser(
      { createdAt: '2026-03-01T00:00:00Z', downloads: 7 },
      { createdAt: '2026-02-01T08:00:00Z', downloads: 2_000_000_000 },
    );
    const { status, body } = await read(userId);
    expect(status).toBe(200);
    expect(body).toEqual({
      userId,
      username: `User ${userId}`,
      itemsCount: 2,
      downloadsCount: 2_000_000_007,
      firstCreatedAt: '2026-02-01T08:00:00.000+00:00',
    });
  });

  it.each([0, 99_999, 'x', '007', '9007199254740993', '-1'])('is unknown with the id %s, which is that of no creator', isUnknown);

  it('is unknown without an item that lists show, also to themselves', async () => {
    const userId = await createUser();
    expectProblem(await read(userId, userId), 404, 'user-unknown');
    await service.client.upload({ visibility: 'draft' }, userId);
    await service.indexed();
    expectProblem(await read(userId, userId), 404, 'user-unknown');
  });

  it('is shown while blocked as long as lists show the items, and is unknown when the block has hidden them', async () => {
    const userId = await createUser({}, {});
    expect(failureOf(await apiCommand(service.env, 'users', 'block', String(userId)))).toBe('');
    expect((await read(userId)).body).toMatchObject({ itemsCount: 2 });
    expect(failureOf(await apiCommand(service.env, 'users', 'block', String(userId), '--hide'))).toBe('');
    await service.indexed();
    await until('lists have none of the items', async () => (await read(userId)).status === 404);
  });

  it('is unknown after the erasure, and the tombstones belong to no creator', async () => {
    const userId = await createUser({});
    await eraseUser(service.database, userId);
    await service.indexed();
    await isUnknown(userId);
    await isUnknown(0);
  });
});
