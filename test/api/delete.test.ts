import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { purge, purgeSlices } from '@ugc/indexer/purge';
import { USERS } from '../support/environment.ts';
import { ensureIndex } from '../support/in-turn.ts';
import { indexDeps } from '../support/index-deps.ts';
import { countRatings, insertRatings } from '../support/insert-ratings.ts';
import { startService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const remove = (id: number, userId = 1) => service.client.send('DELETE', `/api/content/${id}`, undefined, userId);
const alias = () => service.env['CONTENT_ALIAS'] ?? '';
const purgeAll = () => until('everything is purged', () => purge(indexDeps(service)));
const documentOf = (id: number) => service.elasticsearch.get({ index: alias(), id: String(id) }, { ignore: [404], meta: true });

it('a deleted item is gone from every endpoint and out of every list', async () => {
  const id = await service.client.upload({ name: 'Dodo', tags: ['bird'] });
  await service.indexed();
  expect(await service.client.search('dodo')).toEqual(['Dodo']);
  expect((await remove(id)).status).toBe(204);
  await service.indexed();
  expect(await service.client.search('dodo')).toEqual([]);
  expect(await service.client.search('')).not.toContain('Dodo');
  const calls: [string, string, unknown?][] = [
    ['GET', ''],
    ['PATCH', '', { name: 'x' }],
    ['DELETE', ''],
    ['PUT', '/rating', { score: 3 }],
    ['DELETE', '/rating'],
    ['POST', '/downloads'],
    ['GET', '/thumbnail'],
    ['GET', '/index-status'],
  ];
  for (const [method, path, body] of calls) {
    const answer = await service.client.send(method, `/api/content/${id}${path}`, body);
    expect([method, path, answer.status]).toEqual([method, path, 404]);
  }
});

it('of a deleted item nothing is kept but that it was', async () => {
  const id = await service.client.upload({ name: 'Secret', description: 'private', data: 'payload', tags: ['t'] });
  await service.client.send('PUT', `/api/content/${id}/rating`, { score: 4 }, USERS.boris);
  await remove(id);
  await service.indexed();
  await purgeAll();
  const rows = await service.database.query(
    `select c.name, c.description, c.data, c.tags, (select count(*) from rating r where r.content_id = c.content_id) as ratings,
       (select count(*) from content_thumbnail t where t.content_id = c.content_id) as thumbnails from content c where content_id = $1`,
    [id],
  );
  expect(rows).toEqual([{ name: '', description: '', data: '', tags: [], ratings: 0, thumbnails: 0 }]);
  expect((await documentOf(id)).body._source).toEqual({ contentId: id, deleted: true });
});

it('a deletion takes no longer because the item has many ratings: they go later, in slices, and before the row', async () => {
  const id = await service.client.upload({ name: 'Popular' });
  await insertRatings(service.database, id, 12_000);
  expect((await remove(id)).status).toBe(204);
  await service.indexed();
  expect(await countRatings(service.database, id)).toBe(12_000);
  expect((await service.client.send('PUT', `/api/content/${id}/rating`, { score: 3 })).status).toBe(404);

  const slices = purgeSlices(indexDeps(service));
  for (let left = 12_000; left > 0;) {
    await slices.next();
    const now = await countRatings(service.database, id);
    expect(left - now).toBeLessThanOrEqual(5_000);
    left = now;
  }
  expect(await service.database.query('select 1 from content where content_id = $1', [id])).toHaveLength(1);
});

it('a tombstone is never purged together with its ratings, which could be too many for one statement', async () => {
  const id = await service.client.upload({ name: 'Rated and old' });
  await remove(id);
  await service.indexed();
  await service.database.query(`update content set deleted_at = now() - interval '8 days' where content_id = $1`, [id]);
  const isThere = async () => (await service.database.query('select 1 from content where content_id = $1', [id])).length === 1;
  const slices = purgeSlices(indexDeps(service));
  for (const _ of ['old keys', 'ratings: it has none']) await slices.next();
  await insertRatings(service.database, id, 10);
  while (!(await slices.next()).done);
  expect([await isThere(), await countRatings(service.database, id)]).toEqual([true, 10]);
  await purgeAll();
  expect([await isThere(), await countRatings(service.database, id)]).toEqual([false, 0]);
});

it('only the creator may delete', async () => {
  const id = await service.client.upload({}, USERS.ada);
  expect((await remove(id, USERS.boris)).status).toBe(403);
  expect((await service.client.get(`/api/content/${id}`)).status).toBe(200);
});

it('an edit that races a delete never brings the item back', async () => {
  for (let round = 0; round < 10; round++) {
    const id = await service.client.upload({ name: `Race ${round}` });
    const edits = Array.from({ length: 4 }, (_, position) =>
      service.client.send('PATCH', `/api/content/${id}`, { name: `Race ${round} ${position}` }),
    );
    const [deleted, ...edited] = await Promise.all([remove(id), ...edits]);
    expect(deleted.status).toBe(204);
    for (const { status } of edited) expect([200, 404]).toContain(status);
    expect((await service.client.get(`/api/content/${id}`)).status).toBe(404);
  }
  await service.indexed();
  expect(await service.client.search('race')).toEqual([]);
});

it('after seven days row and document are purged, and not before', async () => {
  const old = await service.client.upload();
  const recent = await service.client.upload();
  await remove(old);
  await remove(recent);
  await service.indexed();
  await service.database.query(`update content set deleted_at = now() - interval '8 days' where content_id = $1`, [old]);
  await ensureIndex(indexDeps(service));
  await purgeAll();
  const rows = await service.database.query('select content_id from content where content_id = any($1)', [[old, recent]]);
  expect(rows).toEqual([{ content_id: recent }]);
  expect((await documentOf(old)).statusCode).toBe(404);
  expect((await documentOf(recent)).statusCode).toBe(200);
});
