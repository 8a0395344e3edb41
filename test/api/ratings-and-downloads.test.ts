import { describe, expect, it } from '@jest/globals';
import { USERS } from '../support/processes/environment.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { countLockWaits } from '../support/database/lock-waits.ts';
import { startService, type Service } from '../support/processes/service.ts';
import { until } from '../support/jest/until.ts';

const service = forAllTests(() => startService());

const rate = (id: number, score: unknown, userId = 1) => service.client.send('PUT', `/api/content/${id}/rating`, { score }, userId);
const download = (id: number) => service.client.send('POST', `/api/content/${id}/downloads`);
const item = async (id: number, userId = 1) => (await service.client.get(`/api/content/${id}`, userId)).body;

describe('a rating', () => {
  it('is one per user, and can be changed and removed', async () => {
    const id = await service.client.upload();
    expect((await rate(id, 5, USERS.ada)).status).toBe(204);
    await rate(id, 2, USERS.boris);
    expect((await item(id)).avgRating).toBe(3.5);
    await rate(id, 3, USERS.ada);
    expect((await item(id)).avgRating).toBe(2.5);
    expect((await service.client.send('DELETE', `/api/content/${id}/rating`, undefined, USERS.boris)).status).toBe(204);
    expect((await item(id)).avgRating).toBe(3);
    await service.client.send('DELETE', `/api/content/${id}/rating`, undefined, USERS.ada);
    await service.client.send('DELETE', `/api/content/${id}/rating`, undefined, USERS.ada);
    expect((await item(id)).avgRating).toBe(0);
  });

  it('of 50 users at the same time gives the exact mean', async () => {
    const users = await service.database.query<{ userId: number }>(
      `insert into users (username, credential) select 'rater ' || n, 'rater|' || n from generate_series(1, 50) n returning user_id`,
    );
    const id = await service.client.upload();
    const scores = users.map((_, position) => 1 + ((position * 7) % 5));
    const responses = await Promise.all(users.map(({ userId }, position) => rate(id, scores[position], userId)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([204]));
    expect((await item(id)).avgRating).toBe(scores.reduce((sum, score) => sum + score, 0) / 50);
  });

  it('that does not differ from the stored one changes nothing', async () => {
    const id = await service.client.upload();
    const revision = async () => (await service.client.get(`/api/content/${id}/index-status`)).body.revision;
    expect((await service.client.send('DELETE', `/api/content/${id}/rating`)).status).toBe(204);
    expect(await revision()).toBe(1);
    for (let n = 0; n < 2; n++) expect((await rate(id, 4)).status).toBe(204);
    expect(await revision()).toBe(2);
  });

  it('is not an edit, so updatedAt does not change', async () => {
    const id = await service.client.upload();
    const before = await item(id);
    await rate(id, 4);
    expect(await item(id)).toEqual({ ...before, avgRating: 4 });
  });

  it.each([[0], [6], [3.5], ['5'], [null], [undefined]])('with the score %p is 400', async (score) => {
    const id = await service.client.upload();
    const response = await rate(id, score);
    expect(response.status).toBe(400);
    expect(response.body.errors).toMatchObject([{ pointer: '#/score' }]);
    expect((await item(id)).avgRating).toBe(0);
  });

  it('by a user who does not exist is 403', async () => {
    const id = await service.client.upload();
    expect((await rate(id, 5, 987_654)).status).toBe(403);
  });

  it('affects the sort order and the minRating filter of lists', async () => {
    const low = await service.client.upload({ name: 'Xenolith low' });
    const high = await service.client.upload({ name: 'Xenolith high' });
    await rate(low, 1);
    await rate(high, 5);
    await service.indexed();
    expect(await service.client.search('xenolith', { sort: 'avgRating,desc' })).toEqual(['Xenolith high', 'Xenolith low']);
    expect(await service.client.search('xenolith', { minRating: '4.5' })).toEqual(['Xenolith high']);
  });
});

describe('downloads', () => {
  it('are all counted, also 100 at the same time', async () => {
    const id = await service.client.upload();
    const responses = await Promise.all(Array.from({ length: 100 }, () => download(id)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([204]));
    expect(await item(id)).toMatchObject({ downloadsCount: 100, latestDownloadsCount: 100 });
  });

  it('and ratings of one item wait for its row with one connection, so that other requests are served', async () => {
    const [hot, other] = [await service.client.upload(), await service.client.upload()];
    let waiting: Promise<{ status: number }[]> = Promise.resolve([]);
    await service.database.transaction(async (tx) => {
      await tx.query('select 1 from content where content_id = $1 for update', [hot]);
      waiting = Promise.all(Array.from({ length: 30 }, (_, n) => (n % 2 ? download(hot) : rate(hot, 1 + (n % 5), USERS.boris))));
      await until('one of them waits in the database', async () => (await countLockWaits(service.database)) > 0);
      // Concurrently, because the waiting statement times out.
      const [there, ...read] = await Promise.all([
        countLockWaits(service.database),
        ...Array.from({ length: 5 }, () => item(other, USERS['Chloé Dubois'])),
      ]);
      expect(read.map(({ contentId }) => contentId)).toEqual(read.map(() => other));
      expect(there).toBe(1);
    });
    expect(new Set((await waiting).map(({ status }) => status))).toEqual(new Set([204]));
    expect(await item(hot)).toMatchObject({ downloadsCount: 15 });
  });

  it('in a burst cause few writes to the index', async () => {
    const id = await service.client.upload();
    await service.indexed();
    const written = () => documentsIndexed(service.elasticsearch, service.env['CONTENT_ALIAS'] ?? '');
    const before = await written();
    for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 20 }, () => download(id)));
    await service.indexed();
    expect((await written()) - before).toBeLessThanOrEqual(3);
    const [row] = await service.database.query<{ revision: number }>('select revision from content where content_id = $1', [id]);
    expect(row?.revision).toBe(201);
  });
});

async function documentsIndexed(elasticsearch: Service['elasticsearch'], index: string): Promise<number> {
  const stats = await elasticsearch.indices.stats({ index, metric: 'indexing' });
  return stats._all.primaries?.indexing?.index_total ?? 0;
}
