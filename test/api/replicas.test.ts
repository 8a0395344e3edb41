import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startAnotherApi } from '../support/processes/another-api.ts';
import { startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import type { Client } from '../support/http/client.ts';
import { countLockWaits } from '../support/database/lock-waits.ts';
import { until } from '../support/jest/until.ts';

let api: ApiAlone;
let other: Awaited<ReturnType<typeof startAnotherApi>>;
beforeAll(async () => {
  api = await startApiAlone();
  other = await startAnotherApi(api.env);
});
afterAll(async () => {
  await other.stop();
  await api.stop();
});

/** Sends one request to each of two API processes, with the item's row locked until both wait for it. */
async function atOnce<T>(contentId: number, send: (client: Client, position: number) => Promise<T>): Promise<T[]> {
  let responses: Promise<T[]> = Promise.resolve([]);
  await api.database.transaction(async (tx) => {
    await tx.query('select from content where content_id = $1 for update', [contentId]);
    responses = Promise.all([api.client, other.client].map(send));
    await until('both wait', async () => (await countLockWaits(api.database)) === 2);
  });
  return responses;
}

it('of two concurrent edits with the same entity tag at two API processes, one succeeds and the other is 412', async () => {
  const id = await api.client.upload();
  const tag = (await api.client.get(`/api/content/${id}`)).headers.get('etag') ?? '';
  const responses = await atOnce(id, (client, position) =>
    client.send('PATCH', `/api/content/${id}`, { name: `edit ${position}` }, 1, { 'if-match': tag }),
  );
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 412]);
  const accepted = responses.find(({ status }) => status === 200);
  expect((await api.client.get(`/api/content/${id}`)).body).toEqual(accepted?.body);
});

it('two concurrent edits of different fields at two API processes are both kept', async () => {
  const id = await api.client.upload({ name: 'as uploaded', description: 'as uploaded' });
  const fields = [{ name: 'edited' }, { description: 'edited' }];
  const responses = await atOnce(id, (client, position) => client.send('PATCH', `/api/content/${id}`, fields[position]));
  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  expect((await api.client.get(`/api/content/${id}`)).body).toMatchObject({ name: 'edited', description: 'edited' });
});

it('two concurrent ratings of one user at two API processes count once', async () => {
  const id = await api.client.upload();
  const responses = await atOnce(id, (client, position) => client.send('PUT', `/api/content/${id}/rating`, { score: 1 + 3 * position }));
  expect(responses.map(({ status }) => status)).toEqual([204, 204]);
  expect(await storedRating(id)).toEqual({ ...(await actualRating(id)), ratingCount: 1 });
});

it('concurrent change and removal of a rating at two API processes keep sum and count consistent', async () => {
  const id = await api.client.upload();
  await api.client.send('PUT', `/api/content/${id}/rating`, { score: 5 });
  const responses = await atOnce(id, (client, position) =>
    position === 0 ? client.send('PUT', `/api/content/${id}/rating`, { score: 2 }) : client.send('DELETE', `/api/content/${id}/rating`),
  );
  expect(responses.map(({ status }) => status)).toEqual([204, 204]);
  expect(await storedRating(id)).toEqual(await actualRating(id));
});

it('a rating concurrent with a deletion at another API process does not change the totals of the deleted item', async () => {
  const id = await api.client.upload();
  const [deleted, rated] = await atOnce(id, (client, position) =>
    position === 0 ? client.send('DELETE', `/api/content/${id}`) : client.send('PUT', `/api/content/${id}/rating`, { score: 2 }),
  );
  expect(deleted?.status).toBe(204);
  expect([204, 404]).toContain(rated?.status);
  // A rating that was stored first remains until the purge, but is not part of the totals.
  expect(await actualRating(id)).toMatchObject({ ratingCount: rated?.status === 204 ? 1 : 0 });
  expect(await storedRating(id)).toEqual({ ratingSum: 0, ratingCount: 0 });
});

it('concurrent downloads at two API processes are all counted', async () => {
  const id = await api.client.upload();
  const clients = Array.from({ length: 40 }, (_, n) => (n % 2 ? api.client : other.client));
  const responses = await Promise.all(clients.map((client) => client.send('POST', `/api/content/${id}/downloads`)));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([204]));
  expect((await api.client.get(`/api/content/${id}`)).body).toMatchObject({ downloadsCount: 40, latestDownloadsCount: 40 });
});

async function storedRating(contentId: number) {
  const [row] = await api.database.query('select rating_sum, rating_count from content where content_id = $1', [contentId]);
  return row;
}

async function actualRating(contentId: number) {
  const [row] = await api.database.query(
    'select coalesce(sum(score), 0)::bigint as rating_sum, count(*) as rating_count from rating where content_id = $1',
    [contentId],
  );
  return row;
}
