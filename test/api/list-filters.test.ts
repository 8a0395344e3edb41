import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { USERS } from '../support/environment.ts';
import { startService, type Service } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe('the filters of a list', () => {
  it('match items that have all given tags and the given creator', async () => {
    await service.client.upload({ name: 'both', tags: ['vermilion', 'azure blue'] }, USERS.ada);
    await service.client.upload({ name: 'one', tags: ['vermilion'] }, USERS.boris);
    await service.indexed();
    const names = async (query: string) =>
      (await service.client.get(`/api/content?${query}&sort=name`)).body.content.map((found: { name: string }) => found.name);
    expect(await names('tags=vermilion')).toEqual(['both', 'one']);
    expect(await names('tags=vermilion&tags=azure+blue')).toEqual(['both']);
    expect(await names(`tags=vermilion&creatorId=${USERS.boris}`)).toEqual(['one']);
    expect(await names('tags=azure')).toEqual([]);
  });

  it.each([
    ['creatorId=abc', 'creatorId'],
    ['creatorId=0', 'creatorId'],
    ['creatorId=1&creatorId=2', 'creatorId'],
    ['minRating=5.1', 'minRating'],
    ['minRating=-1', 'minRating'],
    ['minRating=1e0', 'minRating'],
    [`tags=${'x'.repeat(65)}`, 'tags'],
    ['tags=a%00', 'tags'],
    [Array.from({ length: 33 }, (_, n) => `tags=${n}`).join('&'), 'tags'],
    ['include=thumbnail', 'include'],
  ])('are 400 when they are not valid: %s', async (query, parameter) => {
    const response = await service.client.get(`/api/content?${query}`);
    expect(response.status).toBe(400);
    expect(response.body.errors).toMatchObject([{ parameter }]);
  });
});
