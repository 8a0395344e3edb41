import { expect, it } from '@jest/globals';
import { purge, purgeSlices } from '@ugc/indexer/purge/purge';
import { USERS } from '../support/processes/environment.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { png } from '../support/database/images.ts';
import { ensureIndex } from '../support/indices/index-lock.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { countRatings, insertRatings } from '../support/database/insert-ratings.ts';
import { startService } from '../support/processes/service.ts';
import { until } from '../support/jest/until.ts';

const service = forAllTests(() => startService());

const remove = (id: number, userId = 1) => service.client.send('DELETE', `/api/content/${id}`, undefined, userId);
const alias = () => service.env['CONTENT_ALIAS'] ?? '';
const purgeAll = () => until('everything is purged', () => purge(indexDeps(service)));
const documentOf = (id: number) => service.elasticsearch.get({ index: alias(), id: String(id) }, { ignore: [404], meta: true });

it('a deleted item is 404 at every endpoint and missing from every list', async () => {
  const id = await service.client.upload({ name: 'Dodo', tags: ['bird'] });
  await service.indexed();
  expect(await service.client.search('dodo')).toEqual(['Dodo']);
  expect((await remove(id)).status).toBe(204);
  await service.indexed();
  expect(await service.client.search('dodo')).toEqual([]);
  expect(await service.client.search('')).not.toContain('Dodo');
  expect(await service.client.search('-zebra')).toEqual(await service.client.search(''));
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
    const response = await service.client.send(method, `/api/content/${id}${path}`, body);
    expect([method, path, response.status]).toEqual([method, path, 404]);
  }
});

it('a deleted item keeps only its tombstone, in PostgreSQL and in the index', async () => {
  const id = await service.client.upload({
    name: 'Secret',
    description: 'private',
    data: 'payload',
    tags: ['t'],
    thumbnail: png().toString('base64'),
  });
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

it('the ratings of a deleted item are purged later in slices, before the row, so that a deletion is fast', async () => {
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

it('a tombstone is not purged while it has ratings, which may be too many for one statement', async () => {
  const id = await service.client.upload({ name: 'Rated and old' });
  await remove(id);
  await service.indexed();
  await service.database.query(`update content set deleted_at = now() - interval '8 days' where content_id = $1`, [id]);
  const isThere = async () => (await service.database.query('select 1 from content where content_id = $1', [id])).length === 1;
  const slices = purgeSlices(indexDeps(service));
  for (const _ of ['old keys', 'users', 'hashes and old days', 'of searches', 'ratings: it has none']) await slices.next();
  await insertRatings(service.database, id, 10);
  while (!(await slices.next()).done);
  expect([await isThere(), await countRatings(service.database, id)]).toEqual([true, 10]);
  await purgeAll();
  expect([await isThere(), await countRatings(service.database, id)]).toEqual([false, 0]);
});

it.each([
  [USERS.ada, USERS.boris],
  [USERS.boris, USERS.ada],
])('an item of user %i cannot be deleted by user %i', async (creator, other) => {
  const id = await service.client.upload({}, creator);
  expect((await remove(id, other)).status).toBe(403);
  expect((await service.client.get(`/api/content/${id}`)).status).toBe(200);
  expect((await remove(id, creator)).status).toBe(204);
});

it('an edit concurrent with a deletion never restores the item', async () => {
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

it.each([
  ['6 days 23 hours', true],
  ['7 days 1 minute', false],
])('the tombstone of an item that was deleted %s ago is kept in PostgreSQL and in the index: %p', async (age, kept) => {
  const id = await service.client.upload();
  await remove(id);
  await service.indexed();
  await service.database.query(`update content set deleted_at = now() - $2::interval where content_id = $1`, [id, age]);
  const deps = indexDeps(service);
  await ensureIndex(deps);
  await until('the purge has run', () => purge(deps));
  expect(await service.database.query('select from content where content_id = $1', [id])).toHaveLength(kept ? 1 : 0);
  expect((await documentOf(id)).statusCode).toBe(kept ? 200 : 404);
});

it('a tombstone with a pending change is not purged', async () => {
  const id = await service.client.upload();
  await remove(id);
  await service.indexed();
  await service.database.query(`update content set deleted_at = now() - interval '8 days' where content_id = $1`, [id]);
  await service.database.query(`insert into index_outbox (content_id, revision, due_at) values ($1, 2, 'infinity')`, [id]);
  await until('the purge has run', () => purge(indexDeps(service)));
  expect(await service.database.query('select from content where content_id = $1', [id])).toHaveLength(1);
  await service.database.query('delete from index_outbox where content_id = $1', [id]);
});
