import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { USERS } from '../support/environment.ts';
import { png } from '../support/images.ts';
import { countLockWaits } from '../support/lock-waits.ts';
import { startService, type Service } from '../support/service.ts';
import { tokenOf } from '../support/tokens.ts';
import { until } from '../support/until.ts';

const PNG = png().toString('base64');

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const rate = (id: number, score: unknown, userId = 1) => service.client.send('PUT', `/api/content/${id}/rating`, { score }, userId);
const download = (id: number) => service.client.send('POST', `/api/content/${id}/downloads`);
const item = async (id: number, userId = 1) => (await service.client.get(`/api/content/${id}`, userId)).body;

describe('a rating', () => {
  it('is one per user, and can be changed and taken back', async () => {
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

  it('of 50 users at once gives the exact mean', async () => {
    const users = await service.database.query<{ user_id: number }>(
      `insert into users (username, credential) select 'rater ' || n, 'rater|' || n from generate_series(1, 50) n returning user_id`,
    );
    const id = await service.client.upload();
    const scores = users.map((_, position) => 1 + ((position * 7) % 5));
    const answers = await Promise.all(users.map(({ user_id: userId }, position) => rate(id, scores[position], userId)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
    expect((await item(id)).avgRating).toBe(scores.reduce((sum, score) => sum + score, 0) / 50);
  });

  it('that says nothing new changes nothing', async () => {
    const id = await service.client.upload();
    const revision = async () => (await service.client.get(`/api/content/${id}/index-status`)).body.revision;
    expect((await service.client.send('DELETE', `/api/content/${id}/rating`)).status).toBe(204);
    expect(await revision()).toBe(1);
    for (let n = 0; n < 2; n++) expect((await rate(id, 4)).status).toBe(204);
    expect(await revision()).toBe(2);
  });

  it('is no edit: the date of the last update stays', async () => {
    const id = await service.client.upload();
    const before = await item(id);
    await rate(id, 4);
    expect(await item(id)).toEqual({ ...before, avgRating: 4 });
  });

  it.each([[0], [6], [3.5], ['5'], [null], [undefined]])('of %p is refused', async (score) => {
    const id = await service.client.upload();
    const answer = await rate(id, score);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ pointer: '#/score' }]);
    expect((await item(id)).avgRating).toBe(0);
  });

  it('of who is no user is refused', async () => {
    const id = await service.client.upload();
    expect((await rate(id, 5, 987_654)).status).toBe(403);
  });

  it('shows in a list that is sorted by it', async () => {
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
  it('are all counted, however many come at once', async () => {
    const id = await service.client.upload();
    const answers = await Promise.all(Array.from({ length: 100 }, () => download(id)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
    expect(await item(id)).toMatchObject({ downloadsCount: 100, latestDownloadsCount: 100 });
  });

  it('and ratings of one hot item, however many wait for it, leave connections for everybody else', async () => {
    const [hot, other] = [await service.client.upload(), await service.client.upload()];
    let waiting: Promise<{ status: number }[]> = Promise.resolve([]);
    await service.database.transaction(async (tx) => {
      await tx.query('select 1 from content where content_id = $1 for update', [hot]);
      waiting = Promise.all(Array.from({ length: 30 }, (_, n) => (n % 2 ? download(hot) : rate(hot, 1 + (n % 5), USERS.boris))));
      await until('one of them waits in the database', async () => (await countLockWaits(service.database)) > 0);
      // Side by side: who waits is told after a while to come again.
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

  it('that come in a burst are few writes to the index', async () => {
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

describe('a thumbnail', () => {
  it('is served as the bytes that were uploaded, with their verified type', async () => {
    const id = await service.client.upload({ thumbnail: `data:image/png;base64,${PNG}` });
    const token = await tokenOf(1);
    const response = await fetch(`${service.client.baseUrl}/api/content/${id}/thumbnail`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(Buffer.from(await response.arrayBuffer()).toString('base64')).toBe(PNG);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
    const again = await service.client.send('GET', `/api/content/${id}/thumbnail`, undefined, 1, {
      'if-none-match': response.headers.get('etag') ?? '',
    });
    expect(again.status).toBe(304);
  });

  const readKnown = (id: number, tag: string) =>
    service.client.send('GET', `/api/content/${id}/thumbnail`, undefined, 1, { 'if-none-match': tag });
  const edit = (id: number, body: object) => service.client.send('PATCH', `/api/content/${id}`, body);

  it('is not read from the database for a 304', async () => {
    const id = await service.client.upload({ thumbnail: PNG });
    const tag = (await service.client.get(`/api/content/${id}/thumbnail`)).headers.get('etag') ?? '';
    await makeImagesUnreadable();
    try {
      for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const answer = await readKnown(id, known);
        expect({ known, status: answer.status, tag: answer.headers.get('etag') }).toEqual({ known, status: 304, tag });
        expect(answer.headers.get('cache-control')).toBe('private, no-cache');
      }
      for (const other of ['"t1"', '"t"', '"0.1"', '"t99999999999999999999"']) expect((await readKnown(id, other)).status).toBe(500);
    } finally {
      await makeImagesReadable();
    }
  });

  it('that was replaced is sent to who knows the one before', async () => {
    const id = await service.client.upload({ thumbnail: PNG });
    const first = await service.client.get(`/api/content/${id}/thumbnail`);
    await edit(id, { thumbnail: png({ width: 2 }).toString('base64') });
    const second = await readKnown(id, first.headers.get('etag') ?? '');
    expect(second.status).toBe(200);
    expect(second.headers.get('etag')).not.toBe(first.headers.get('etag'));
    expect((await readKnown(id, second.headers.get('etag') ?? '')).status).toBe(304);
  });

  it.each<[string, (id: number) => Promise<{ status: number }>]>([
    ['was removed', (id) => edit(id, { thumbnail: null })],
    ['belonged to a deleted item', (id) => service.client.send('DELETE', `/api/content/${id}`)],
  ])('that %s is 404 at once, also for who knows it', async (_, remove) => {
    const id = await service.client.upload({ thumbnail: PNG });
    const tag = (await service.client.get(`/api/content/${id}/thumbnail`)).headers.get('etag') ?? '';
    expect((await remove(id)).status).toBeLessThan(300);
    for (const known of ['', tag, '*', '"t0", "t1", "t2"']) expect((await readKnown(id, known)).status).toBe(404);
  });

  it('that does not exist is 404', async () => {
    const id = await service.client.upload();
    expect((await service.client.get(`/api/content/${id}/thumbnail`)).status).toBe(404);
  });
});

/** Whoever reads the bytes of an image gets an error; all else of the table can be read. */
async function makeImagesUnreadable(): Promise<void> {
  await service.database.query(`alter table content_thumbnail rename to readable_thumbnail`);
  await service.database.query(
    `create function unreadable(bytes bytea) returns bytea language plpgsql stable as $$ begin raise exception 'an image is read'; end $$`,
  );
  await service.database.query(
    `create view content_thumbnail as select content_id, media_type, unreadable(bytes) as bytes from readable_thumbnail`,
  );
}

async function makeImagesReadable(): Promise<void> {
  await service.database.query(`drop view content_thumbnail`);
  await service.database.query(`alter table readable_thumbnail rename to content_thumbnail`);
}

describe('the index status', () => {
  it('tells pending, indexed and rejected, with the revision, and why only to its creator', async () => {
    const id = await service.client.upload();
    await service.indexed();
    const status = async () => (await service.client.get(`/api/content/${id}/index-status`)).body;
    expect(await status()).toEqual({ contentId: id, revision: 1, status: 'indexed' });
    await download(id);
    expect(await status()).toEqual({ contentId: id, revision: 2, status: 'pending' });
    await service.database.query(
      `update index_outbox set rejected_reason = 'because', job_id = null, claimed_at = null where content_id = $1`,
      [id],
    );
    expect(await status()).toEqual({ contentId: id, revision: 2, status: 'rejected', reason: 'because' });
    const toOthers = await service.client.get(`/api/content/${id}/index-status`, USERS.boris);
    expect(toOthers.body).toEqual({ contentId: id, revision: 2, status: 'rejected' });
  });
});

describe('a list takes filters', () => {
  it('by tags, all of which must match, and by creator', async () => {
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
  ])('and refuses %s', async (query, parameter) => {
    const answer = await service.client.get(`/api/content?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ parameter }]);
  });
});
