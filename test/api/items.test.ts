import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exif, png, pngChunk } from '../support/database/images.ts';
import type { JWTPayload } from 'jose';
import { purge, purgeSlices } from '@ugc/indexer/purge/purge';
import { NO_FIELDS } from '@ugc/fields/definition';
import { hashUpload } from '@ugc/items/changes/idempotency';
import type { Upload } from '@ugc/items/fields/upload-schema';
import { toDocument } from '@ugc/indexer/documents/document';
import type { ContentDocument } from '@ugc/shared/contracts/content-index';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import { countRatings, insertRatings } from '../support/database/insert-items.ts';
import { countLockWaits } from '../support/database/sessions.ts';
import type { Client } from '../support/http/client.ts';
import { expectProblem } from '../support/http/problems.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { indexedContent } from '../support/indices/indexed-content.ts';
import { ensureIndex } from '../support/indices/index-lock.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';
import { startAnotherApi } from '../support/processes/api-alone.ts';
import { USERS } from '../support/processes/environment.ts';
import { startService, type Service } from '../support/processes/service.ts';

const service = forAllTests(() => startService({ DATABASE_POOL_SIZE: '30' }));

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/;

describe('an upload', () => {
  it('returns the stored item, its creator and its dates', async () => {
    const upload = { creatorId: USERS['Chloé Dubois'], name: 'Kettle', description: 'boils', version: 3, data: '{}', tags: ['kitchen'] };
    const response = await service.client.post('/content', upload, USERS['Chloé Dubois']);
    expect(response.status).toBe(201);
    const id = response.body.content_id;
    expect(response.body).toEqual({
      content_id: id,
      data: '{}',
      creator: { user_id: 3, username: 'Chloé Dubois', credential: 'test|Chloé Dubois' },
      name: 'Kettle',
      description: 'boils',
      version: 3,
      contentDates: { content_id: id, created_at: expect.stringMatching(TIMESTAMP), updated_at: expect.stringMatching(TIMESTAMP) },
    });
    expect(response.headers.get('location')).toBe(`/api/content/${id}`);
  });

  it('has its name and tags in normalization form NFC, whose characters their limits count, and so has an edit', async () => {
    const name = 'e\u0301'.repeat(200);
    const tags = ['cafe\u0301', 'caf\u00e9', '\u1112\u1161\u11ab'.repeat(50), 'cafe'];
    const stored = { name: '\u00e9'.repeat(200), tags: ['caf\u00e9', '\ud55c'.repeat(50), 'cafe'] };
    const { body } = await service.client.post('/content', { creatorId: 1, name, description: 'e\u0301', version: 1, data: '', tags });
    expect(body).toMatchObject({ name: stored.name, description: 'e\u0301' });
    const path = `/api/content/${body.content_id}`;
    expect((await service.client.get(`${path}?include=tags`)).body).toMatchObject(stored);
    const edited = (await service.client.send('PATCH', path, { name: 'O\u0308l', tags: ['o\u0308l'] })).body;
    expect(edited).toMatchObject({ name: '\u00d6l' });
    expect((await service.client.send('PATCH', path, { name: '\u00d6l', tags: ['\u00f6l'] })).headers.get('etag')).toContain('.');
    await service.indexed();
    for (const query of ['tags=o%CC%88l', 'anyTags=%C3%B6l', 'excludeTags=o%CC%88l&prompt=ol'])
      expect((await service.client.get(`/api/content?${query}`)).body.totalElements).toBe(query.startsWith('exclude') ? 0 : 1);
    for (const too of [{ name: `${name}e\u0301` }, { name: '\u0958'.repeat(101) }, { name: 'e\u0301'.repeat(2_000) }])
      expectProblem(await service.client.send('PATCH', path, too), 400);
  });

  it('keeps the order of the tags and removes duplicates', async () => {
    const id = await service.client.upload({ tags: ['b', 'a', 'b', 'A'] });
    const [row] = await service.database.query('select tags from content where content_id = $1', [id]);
    expect(row?.['tags']).toEqual(['b', 'a', 'A']);
  });

  it('for another user is 403 unless the token has the scope content:write:any', async () => {
    const upload = { creatorId: USERS.boris, name: 'x', description: '', version: 0, data: '' };
    expect((await service.client.post('/content', upload, USERS.ada)).status).toBe(403);
    const accepted = await service.client.send('POST', '/content', upload, { sub: '1', scope: 'read content:write:any' });
    expect(accepted.status).toBe(201);
    expect(accepted.body.creator.user_id).toBe(USERS.boris);
  });
});

describe('concurrent reads of one item each', () => {
  const USERS = [1, 2, 3];

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

describe('edit', () => {
  const PNG = png().toString('base64');

  const patch = (id: number, body: unknown, headers: Record<string, string> = {}, userId = 1) =>
    service.client.send('PATCH', `/api/content/${id}`, body, userId, headers);
  const read = (id: number, query = '') => service.client.get(`/api/content/${id}${query}`);
  const revisionOf = async (id: number) => (await service.client.get(`/api/content/${id}/index-status`)).body.revision;

  describe('an edit', () => {
    it('changes the fields that it contains and no others', async () => {
      const id = await service.client.upload({ name: 'Kettle', description: 'boils', data: 'd', tags: ['a'] });
      const before = (await read(id)).body;
      const response = await patch(id, { name: 'Teapot' });
      expect(response.status).toBe(200);
      expect(response.body).toEqual({ ...before, name: 'Teapot', updatedAt: response.body.updatedAt });
      expect(response.body.updatedAt > before.updatedAt).toBe(true);
      const after = await read(id);
      expect(after.body).toEqual(response.body);
      expect(after.headers.get('etag')).toBe(response.headers.get('etag'));
    });

    it('is searchable with the new text and no longer with the old one', async () => {
      const id = await service.client.upload({ name: 'Quagga' });
      await service.indexed();
      await patch(id, { name: 'Okapi' });
      await service.indexed();
      expect(await service.client.search('okapi')).toEqual(['Okapi']);
      expect(await service.client.search('quagga')).toEqual([]);
    });

    it('with null removes the tags and the thumbnail', async () => {
      const id = await service.client.upload({ tags: ['a', 'b'], thumbnail: PNG });
      expect((await patch(id, { tags: null, thumbnail: null })).status).toBe(200);
      expect((await read(id, '?include=tags')).body.tags).toEqual([]);
      expect((await service.client.get(`/api/content/${id}/thumbnail`)).status).toBe(404);
    });

    it('of the file name changes nothing else, and null removes the name', async () => {
      const id = await service.client.upload({ data: 'd', fileName: 'notes.md' });
      const before = (await read(id)).body;
      const edited = await patch(id, { fileName: 'Cafe\u0301.md' });
      expect(edited.body).toEqual({ ...before, updatedAt: edited.body.updatedAt });
      const included = (await read(id, '?include=fileName')).body;
      expect(included).toEqual({ ...edited.body, fileName: 'Caf\u00e9.md' });
      expect((await patch(id, { data: 'other' })).status).toBe(200);
      expect((await read(id, '?include=fileName')).body.fileName).toBe('Caf\u00e9.md');
      expect((await patch(id, { fileName: null })).status).toBe(200);
      expect((await read(id, '?include=fileName')).body.fileName).toBeNull();
    });

    it('of the version resets the count of latest downloads', async () => {
      const id = await service.client.upload({ version: 1 });
      await service.client.send('POST', `/api/content/${id}/downloads`);
      expect((await read(id)).body).toMatchObject({ downloadsCount: 1, latestDownloadsCount: 1 });
      await patch(id, { version: 2 });
      await service.client.send('POST', `/api/content/${id}/downloads`);
      await service.client.send('POST', `/api/content/${id}/downloads`);
      expect((await read(id)).body).toMatchObject({ downloadsCount: 3, latestDownloadsCount: 2 });
    });

    it.each([
      ['no fields', {}],
      ['the current values', { name: 'Same', description: 'text', tags: ['x'], version: 4, data: 'd', thumbnail: PNG }],
      ['read-only fields', { contentId: 1, creatorId: 2, avgRating: 5, createdAt: '2020-01-01T00:00:00Z', unknown: true }],
    ])('with %s changes neither revision nor updatedAt', async (_what, body) => {
      const id = await service.client.upload({ name: 'Same', description: 'text', tags: ['x'], version: 4, data: 'd', thumbnail: PNG });
      const before = { item: (await read(id)).body, revision: await revisionOf(id) };
      const response = await patch(id, body);
      expect(response.status).toBe(200);
      expect({ item: response.body, revision: await revisionOf(id) }).toEqual(before);
    });

    it('that is not valid is 400 and changes nothing', async () => {
      const id = await service.client.upload();
      const before = (await read(id)).headers.get('etag');
      const response = await patch(id, { name: null, version: '2' });
      expect(response).toMatchObject({ status: 400, body: { errors: [{ pointer: '#/name' }, { pointer: '#/version' }] } });
      expect((await read(id)).headers.get('etag')).toBe(before);
    });

    it('by another user is 403 unless the token has the scope content:write:any', async () => {
      const id = await service.client.upload({}, USERS.ada);
      expect((await patch(id, { name: 'mine' }, {}, USERS.boris)).status).toBe(403);
      const headers = { 'content-type': 'application/merge-patch+json' };
      const moderator = { sub: '2', scope: 'content:write:any' };
      const response = await service.client.send('PATCH', `/api/content/${id}`, { name: 'moderated' }, moderator, headers);
      expect(response.body).toMatchObject({ name: 'moderated', creatorId: USERS.ada });
    });
  });

  describe('an entity tag', () => {
    it('in If-Match makes an edit of an outdated copy fail with 412', async () => {
      const id = await service.client.upload();
      const tag = (await read(id)).headers.get('etag') ?? '';
      expect((await patch(id, { name: 'first' }, { 'if-match': tag })).status).toBe(200);
      expect((await patch(id, { name: 'second' }, { 'if-match': tag })).status).toBe(412);
      expect((await read(id)).body.name).toBe('first');
      expect((await service.client.send('DELETE', `/api/content/${id}`, undefined, 1, { 'if-match': tag })).status).toBe(412);
    });

    it('in If-Match still matches after downloads and ratings', async () => {
      const id = await service.client.upload();
      const tag = (await read(id)).headers.get('etag') ?? '';
      await service.client.send('POST', `/api/content/${id}/downloads`);
      await service.client.send('PUT', `/api/content/${id}/rating`, { score: 5 }, USERS.boris);
      expect((await patch(id, { name: 'edited' }, { 'if-match': tag })).status).toBe(200);
    });

    it('in If-None-Match gives 304 until the next download or edit', async () => {
      const id = await service.client.upload();
      const readIfNew = async (tag: string) =>
        (await service.client.send('GET', `/api/content/${id}`, undefined, 1, { 'if-none-match': tag })).status;
      const tag = (await read(id)).headers.get('etag') ?? '';
      expect(await readIfNew(tag)).toBe(304);
      expect(await readIfNew(`"other", W/${tag}`)).toBe(304);
      await service.client.send('POST', `/api/content/${id}/downloads`);
      expect(await readIfNew(tag)).toBe(200);
    });

    it('changes with the name of the creator, at the same time as the body', async () => {
      const [user] = await service.database.query<{ userId: number }>(
        `insert into users (username, credential) values ('Before', 'renamed|1') returning user_id`,
      );
      const id = await service.client.upload({}, user?.userId);
      const before = await read(id);
      await service.database.query(`update users set username = 'After' where user_id = $1`, [user?.userId]);
      const known = { 'if-none-match': before.headers.get('etag') ?? '' };
      const after = await service.client.send('GET', `/api/content/${id}`, undefined, 1, known);
      expect(after).toMatchObject({ status: 200, body: { ...before.body, creatorName: 'After' } });
      expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
      const edited = await patch(id, { name: 'x' }, { 'if-match': before.headers.get('etag') ?? '' }, user?.userId);
      expect(edited.status).toBe(200);
      expect((await read(id)).headers.get('etag')).toBe(edited.headers.get('etag'));
    });

    it('has a format that processes of the previous release accept in If-Match', async () => {
      const id = await service.client.upload();
      expect((await read(id)).headers.get('etag')).toMatch(/^"(\d+)\.\d+"$/);
    });

    it('of the previous release never gives 304, because it does not cover the name of the creator', async () => {
      const id = await service.client.upload();
      const response = await service.client.send('GET', `/api/content/${id}`, undefined, 1, { 'if-none-match': '"0.1"' });
      expect(response.status).toBe(200);
    });
  });

  it('include adds the tags, the file name or both to an item and to the items of a list', async () => {
    const id = await service.client.upload({ name: 'Xylophone', tags: ['b', 'a'], fileName: 'xylophone.json' });
    await service.indexed();
    const included = async (query: string) => {
      const list = await service.client.get(`/api/content?prompt=xylophone${query.replace('?', '&')}`);
      return [(await read(id, query)).body, list.body.content[0]].map(({ tags, fileName }) => ({ tags, fileName }));
    };
    const [tags, fileName] = [['b', 'a'], 'xylophone.json'];
    for (const [query, fields] of [
      ['', {}],
      ['?include=tags', { tags }],
      ['?include=fileName', { fileName }],
      ['?include=fileName&include=tags', { tags, fileName }],
    ] as const)
      expect(await included(query)).toEqual([fields, fields]);
    expect((await read(id, '?include=tags&include=everything')).status).toBe(400);
  });

  it('include=thumbnail says of items, lists, similar items and completions whether there is a picture, and after each edit', async () => {
    const picture = png().toString('base64');
    const id = await service.client.upload({ name: 'Theremin', tags: ['aether'], thumbnail: picture });
    const without = await service.client.upload({ name: 'Theremins', tags: ['aether'] });
    const included = async () => {
      await service.indexed();
      const get = async (path: string) => (await service.client.get(path)).body;
      const said = ({ contentId, hasThumbnail }: { contentId?: number; hasThumbnail?: boolean }) => [contentId, hasThumbnail];
      const lists = await Promise.all([
        get('/api/content?tags=aether&include=thumbnail&sort=contentId'),
        get('/api/content?tags=aether&include=thumbnail&sort=contentId&fields=summary'),
        get(`/api/content/${without}/similar?include=thumbnail`),
      ]);
      const { completions } = await get('/api/content/suggest?prompt=theremi&include=thumbnail');
      return [
        said(await get(`/api/content/${id}?include=thumbnail`)),
        said(await get(`/api/content/${without}?include=thumbnail`)),
        ...lists.map(({ content }) => content.map(said)),
        completions.map(said).toSorted(([one]: number[], [other]: number[]) => (one ?? 0) - (other ?? 0)),
      ];
    };
    const expected = (has: boolean) => {
      const both = [[id, has], [without, false]]; // prettier-ignore
      return [[id, has], [without, false], both, both, [[id, has]], both];
    };
    expect(await included()).toEqual(expected(true));
    await patch(id, { thumbnail: null });
    expect(await included()).toEqual(expected(false));
    await patch(id, { thumbnail: picture, version: 2 });
    await patch(id, { description: 'x' });
    expect(await included()).toEqual(expected(true));
    expect((await read(id)).body).not.toHaveProperty('hasThumbnail');
  });

  it('include=thumbnail adds nothing to an item of a list that was indexed before there was the field', async () => {
    const contentId = 900_000;
    const { hasThumbnail: _, ...document } = toDocument(indexedContent({ contentId, name: 'Celesta' }), NEWEST_RULES) as ContentDocument;
    await service.elasticsearch.index({ index: service.alias, id: String(contentId), document, refresh: true });
    const { content } = (await service.client.get('/api/content?prompt=celesta&include=thumbnail&include=tags')).body;
    expect(content).toMatchObject([{ contentId, tags: [] }]);
    expect(content[0]).not.toHaveProperty('hasThumbnail');
    const { completions } = (await service.client.get('/api/content/suggest?prompt=celesta&include=thumbnail')).body;
    expect(completions).toEqual([{ type: 'name', text: 'Celesta', contentId }]);
  });

  it('include adds the number of ratings to an item, and lists do not have it', async () => {
    const id = await service.client.upload();
    for (const user of [2, 3]) await service.client.send('PUT', `/api/content/${id}/rating`, { score: 4 }, user);
    expect((await read(id, '?include=ratingCount&include=tags')).body).toMatchObject({ avgRating: 4, ratingCount: 2, tags: [] });
    expect((await read(id)).body).not.toHaveProperty('ratingCount');
    expect((await service.client.get('/api/content?include=ratingCount')).status).toBe(400);
  });
});

describe('the index status of an item', () => {
  const download = (id: number) => service.client.send('POST', `/api/content/${id}/downloads`);

  it('is pending, indexed or rejected, and includes the reason only for its creator', async () => {
    const id = await service.client.upload();
    await service.indexed();
    const status = async () => (await service.client.get(`/api/content/${id}/index-status`)).body;
    expect(await status()).toEqual({ contentId: id, revision: 1, status: 'indexed' });
    await download(id);
    const since = expect.stringMatching(/^\d{4}-.*\+00:00$/);
    expect(await status()).toEqual({ contentId: id, revision: 2, status: 'pending', since });
    await service.database.query(
      `update index_outbox set rejected_reason = 'because', job_id = null, claimed_at = null where content_id = $1`,
      [id],
    );
    expect(await status()).toEqual({ contentId: id, revision: 2, status: 'rejected', since, reason: 'because' });
    const toOthers = await service.client.get(`/api/content/${id}/index-status`, USERS.boris);
    expect(toOthers.body).toEqual({ contentId: id, revision: 2, status: 'rejected', since });
  });
});

describe('ratings and downloads', () => {
  const CHLOE = USERS['Chloé Dubois'];
  const rate = (id: number, score: unknown, userId = USERS.boris) =>
    service.client.send('PUT', `/api/content/${id}/rating`, { score }, userId);
  const download = (id: number) => service.client.send('POST', `/api/content/${id}/downloads`);
  const item = async (id: number, userId = 1) => (await service.client.get(`/api/content/${id}`, userId)).body;

  describe('a rating', () => {
    it('is one per user, and can be changed and removed', async () => {
      const id = await service.client.upload();
      expect((await rate(id, 5, CHLOE)).status).toBe(204);
      await rate(id, 2, USERS.boris);
      expect((await item(id)).avgRating).toBe(3.5);
      await rate(id, 3, CHLOE);
      expect((await item(id)).avgRating).toBe(2.5);
      expect((await service.client.send('DELETE', `/api/content/${id}/rating`, undefined, USERS.boris)).status).toBe(204);
      expect((await item(id)).avgRating).toBe(3);
      await service.client.send('DELETE', `/api/content/${id}/rating`, undefined, CHLOE);
      await service.client.send('DELETE', `/api/content/${id}/rating`, undefined, CHLOE);
      expect((await item(id)).avgRating).toBe(0);
    });

    it('is told to its user alone, and the item is the same for everybody', async () => {
      const id = await service.client.upload();
      await rate(id, 4, USERS.boris);
      const own = async (userId: number) => (await service.client.get(`/api/content/${id}/rating`, userId)).body;
      expect([await own(USERS.boris), await own(CHLOE), await own(987_654)]).toEqual([{ score: 4 }, { score: null }, { score: null }]);
      const [one, other] = [
        await service.client.get(`/api/content/${id}`, USERS.boris),
        await service.client.get(`/api/content/${id}`, CHLOE),
      ];
      expect([one.body, one.headers.get('etag')]).toEqual([other.body, other.headers.get('etag')]);
      await service.client.send('DELETE', `/api/content/${id}/rating`, undefined, USERS.boris);
      expect(await own(USERS.boris)).toEqual({ score: null });
    });

    it('by the creator of the item is 403, also with content:write:any, and one that is stored can be removed', async () => {
      const id = await service.client.upload({}, USERS.ada);
      const moderator = { sub: '1', scope: 'content:write:any' };
      for (const user of [USERS.ada, moderator]) {
        const response = await service.client.send('PUT', `/api/content/${id}/rating`, { score: 5 }, user);
        expect(expectProblem(response, 403).detail).toBe('This is your own item: only others may rate it.');
      }
      expect((await item(id)).avgRating).toBe(0);
      await service.database.query('insert into rating (content_id, user_id, score) values ($1, $2, 5)', [id, USERS.ada]);
      await service.database.query('update content set rating_sum = 5, rating_count = 1 where content_id = $1', [id]);
      expect((await service.client.get(`/api/content/${id}/rating`, USERS.ada)).body).toEqual({ score: 5 });
      expect((await rate(id, 5, USERS.ada)).status).toBe(403);
      expect((await service.client.send('DELETE', `/api/content/${id}/rating`, undefined, USERS.ada)).status).toBe(204);
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
      const begunAtMs = performance.now();
      for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 20 }, () => download(id)));
      const delays = Math.ceil((performance.now() - begunAtMs) / 5_000);
      await service.indexed();
      expect((await written()) - before).toBeLessThanOrEqual(1 + delays);
      const [row] = await service.database.query<{ revision: number }>('select revision from content where content_id = $1', [id]);
      expect(row?.revision).toBe(201);
    });
  });

  async function documentsIndexed(elasticsearch: Service['elasticsearch'], index: string): Promise<number> {
    const stats = await elasticsearch.indices.stats({ index, metric: 'indexing' });
    return stats._all.primaries?.indexing?.index_total ?? 0;
  }
});

describe('idempotency', () => {
  const upload = (key: string, fields: Record<string, unknown> = {}, userId = 1) =>
    service.client.tryUpload({ name: 'Keyed', ...fields }, userId, { 'idempotency-key': key });
  const countNamed = async (name: string) => (await service.database.query('select 1 from content where name = $1', [name])).length;

  it('a repeated upload with the same key returns the first response and stores one item', async () => {
    const first = await upload('again', { name: 'Again', tags: ['a'] });
    await service.client.send('PATCH', `/api/content/${first.body.content_id}`, { description: 'edited since' });
    const second = await upload('again', { name: 'Again', tags: ['a'] });
    expect(second.status).toBe(201);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect(await countNamed('Again')).toBe(1);
  });

  it('uploads with equal values but different JSON text count as the same upload', async () => {
    const first = await upload('meaning', { name: 'Meaning', tags: ['a', 'a'] });
    const second = await upload('meaning', { tags: ['a'], unknown: 1, name: 'Meaning' });
    expect(second.body).toEqual(first.body);
  });

  it('a repeated upload with a decomposed name returns the first response', async () => {
    const sent = { name: 'Cafe\u0301', tags: ['o\u0308l', '\u00f6l'] };
    const first = await upload('decomposed', sent);
    expect(first.body).toMatchObject({ name: 'Caf\u00e9' });
    expect((await upload('decomposed', sent)).body).toEqual(first.body);
    const [row] = await service.database.query(`select request_hash from idempotency_key where key = 'decomposed'`);
    // As processes of the release before have stored it.
    expect(row?.['requestHash']).toEqual(
      hashUpload({ creatorId: 1, name: sent.name, description: '', version: 1, data: '', tags: sent.tags } as Upload, NO_FIELDS),
    );
  });

  it('twenty concurrent uploads with the same key store one item and get the same response', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => upload('at-once', { name: 'At once' })));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(await countNamed('At once')).toBe(1);
  });

  it('a different upload with a used key is 422 and stores nothing', async () => {
    await upload('other', { name: 'One' });
    const response = await upload('other', { name: 'Another' });
    expect(response.status).toBe(422);
    expect(await countNamed('Another')).toBe(0);
  });

  it('the keys of different users are independent, also for the same upload for the same creator', async () => {
    const body = { creatorId: USERS.ada, name: 'Shared', description: '', version: 1, data: '' };
    const users = [{ sub: '1' }, { sub: '2', scope: 'content:write:any' }];
    const send = (user: JWTPayload) => service.client.send('POST', '/content', body, user, { 'idempotency-key': 'shared' });
    const responses = [await send(users[0]!), await send(users[1]!)];
    expect(responses.map(({ status }) => status)).toEqual([201, 201]);
    expect(responses[1]?.body.content_id).not.toBe(responses[0]?.body.content_id);
    for (const [position, first] of responses.entries()) expect((await send(users[position]!)).body).toEqual(first.body);
    expect(await countNamed('Shared')).toBe(2);
  });

  it('a failed upload does not use its key', async () => {
    expect((await upload('failed', { name: '' })).status).toBe(400);
    expect((await upload('failed', { name: 'Failed', creatorId: 999 }, 1)).status).toBe(403);
    expect((await upload('failed', { name: 'Stored' })).status).toBe(201);
  });

  it('a key is valid for 24 hours and can then be reused', async () => {
    const first = await upload('old', { name: 'Old' });
    const repeat = async (age: string) => {
      await service.database.query(`update idempotency_key set created_at = now() - $1::interval where key = 'old'`, [age]);
      return upload('old', { name: 'Old' });
    };
    expect((await repeat('23 hours 59 minutes')).body).toEqual(first.body);
    await service.database.query(`update idempotency_key set created_at = now() - interval '24 hours 1 minute' where key = 'old'`);
    const second = await upload('old', { name: 'New' });
    expect(second.status).toBe(201);
    expect(second.body.content_id).not.toBe(first.body.content_id);
  });

  it.each([['a'.repeat(256)], ['with space']])('the invalid key %p is 400', async (key) => {
    const response = await upload(key);
    expect(response.status).toBe(400);
    expect(response.body.errors).toMatchObject([{ parameter: 'Idempotency-Key' }]);
  });
});

describe('reading a thumbnail', () => {
  const PNG = png().toString('base64');

  /** Read by fetch, because the client reads bodies as text. */
  const readBytes = async (id: number): Promise<Response> =>
    fetch(`${service.client.baseUrl}/api/content/${id}/thumbnail`, { headers: { authorization: `Bearer ${await tokenOf(1)}` } });
  const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

  it('returns the uploaded bytes with their detected media type', async () => {
    const id = await service.client.upload({ thumbnail: `data:image/png;base64,${PNG}` });
    const response = await readBytes(id);
    expect((await bytesOf(response)).toString('base64')).toBe(PNG);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
    expect((await readKnown(id, response.headers.get('etag') ?? '')).status).toBe(304);
  });

  const readKnown = (id: number, tag: string) =>
    service.client.send('GET', `/api/content/${id}/thumbnail`, undefined, 1, { 'if-none-match': tag });
  const edit = (id: number, body: object) => service.client.send('PATCH', `/api/content/${id}`, body);

  it('does not load the image from the database for a 304', async () => {
    const id = await service.client.upload({ thumbnail: PNG });
    const tag = (await service.client.get(`/api/content/${id}/thumbnail`)).headers.get('etag') ?? '';
    await makeImagesUnreadable();
    try {
      for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const response = await readKnown(id, known);
        expect({ known, status: response.status, tag: response.headers.get('etag') }).toEqual({ known, status: 304, tag });
        expect(response.headers.get('cache-control')).toBe('private, no-cache');
      }
      for (const other of ['"t1"', '"t"', '"0.1"', '"t99999999999999999999"']) expect((await readKnown(id, other)).status).toBe(500);
    } finally {
      await makeImagesReadable();
    }
  });

  it('returns the new image to a client that has the previous one', async () => {
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
  ])('is 404 at once, also with a matching If-None-Match, when it %s', async (_, remove) => {
    const id = await service.client.upload({ thumbnail: PNG });
    const tag = (await service.client.get(`/api/content/${id}/thumbnail`)).headers.get('etag') ?? '';
    expect((await remove(id)).status).toBeLessThan(300);
    for (const known of ['', tag, '*', '"t0", "t1", "t2"']) expect((await readKnown(id, known)).status).toBe(404);
  });

  it('returns the bytes that are stored, whatever they are: a picture is cleaned when it is stored, and not read again', async () => {
    const id = await service.client.upload({ thumbnail: PNG });
    const stored = png({ extra: [Buffer.alloc(120_000, pngChunk('tEXt', Buffer.alloc(0)))] });
    await service.database.query(`update content_thumbnail set bytes = $2 where content_id = $1`, [id, stored]);
    expect((await bytesOf(await readBytes(id))).equals(stored)).toBe(true);
  });

  it('returns a picture without its metadata, and sending it again changes nothing', async () => {
    const sent = png({ extra: [pngChunk('tEXt', Buffer.from('Comment\0home')), pngChunk('eXIf', exif(6, 'home'))] }).toString('base64');
    const id = await service.client.upload({ thumbnail: sent });
    expect(await bytesOf(await readBytes(id))).toEqual(png({ extra: [pngChunk('eXIf', exif(6))] }));
    const before = (await service.client.get(`/api/content/${id}`)).body;
    expect((await edit(id, { thumbnail: sent })).body).toEqual(before);
  });

  /** Makes every query that reads the bytes of an image fail; other columns stay readable. */
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
});

describe('delete', () => {
  const remove = (id: number, userId = 1) => service.client.send('DELETE', `/api/content/${id}`, undefined, userId);
  const alias = () => service.env['CONTENT_ALIAS'] ?? '';
  const purgeAll = () => until('everything is purged', () => purge(indexDeps(service)));
  const documentOf = (id: number) => service.elasticsearch.get({ index: alias(), id: String(id) }, { ignore: [404], meta: true });

  it('a deleted item is missing from every list', async () => {
    const id = await service.client.upload({ name: 'Dodo', tags: ['bird'] });
    await service.indexed();
    expect(await service.client.search('dodo')).toEqual(['Dodo']);
    expect((await remove(id)).status).toBe(204);
    await service.indexed();
    expect(await service.client.search('dodo')).toEqual([]);
    expect(await service.client.search('')).not.toContain('Dodo');
    expect(await service.client.search('-zebra')).toEqual(await service.client.search(''));
  });

  it('a deleted item keeps only its tombstone, in PostgreSQL and in the index', async () => {
    const id = await service.client.upload({
      name: 'Secret',
      description: 'private',
      data: 'payload',
      tags: ['t'],
      fileName: 'secret.txt',
      thumbnail: png().toString('base64'),
    });
    await service.client.send('PUT', `/api/content/${id}/rating`, { score: 4 }, USERS.boris);
    await remove(id);
    await service.indexed();
    await purgeAll();
    const rows = await service.database.query(
      `select c.name, c.description, c.data, c.tags, c.file_name, (select count(*) from rating r where r.content_id = c.content_id) as ratings,
       (select count(*) from content_thumbnail t where t.content_id = c.content_id) as thumbnails from content c where content_id = $1`,
      [id],
    );
    expect(rows).toEqual([{ name: '', description: '', data: '', tags: [], fileName: null, ratings: 0, thumbnails: 0 }]);
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
    for (const _ of ['old keys', 'receipts', 'backups', 'users', 'hashes and old days', 'of searches', 'ratings: it has none'])
      await slices.next();
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
});

describe('replicas', () => {
  let other: Awaited<ReturnType<typeof startAnotherApi>>;
  beforeAll(async () => {
    other = await startAnotherApi(service.env);
  });
  afterAll(async () => {
    await other.stop();
  });

  /** Sends one request to each of two API processes, with the item's row locked until both wait for it. */
  async function atOnce<T>(contentId: number, send: (client: Client, position: number) => Promise<T>): Promise<T[]> {
    let responses: Promise<T[]> = Promise.resolve([]);
    await service.database.transaction(async (tx) => {
      await tx.query('select from content where content_id = $1 for update', [contentId]);
      responses = Promise.all([service.client, other.client].map(send));
      await until('both wait', async () => (await countLockWaits(service.database)) === 2);
    });
    return responses;
  }

  it('of two concurrent edits with the same entity tag at two API processes, one succeeds and the other is 412', async () => {
    const id = await service.client.upload();
    const tag = (await service.client.get(`/api/content/${id}`)).headers.get('etag') ?? '';
    const responses = await atOnce(id, (client, position) =>
      client.send('PATCH', `/api/content/${id}`, { name: `edit ${position}` }, 1, { 'if-match': tag }),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 412]);
    const accepted = responses.find(({ status }) => status === 200);
    expect((await service.client.get(`/api/content/${id}`)).body).toEqual(accepted?.body);
  });

  it('two concurrent edits of different fields at two API processes are both kept', async () => {
    const id = await service.client.upload({ name: 'as uploaded', description: 'as uploaded' });
    const fields = [{ name: 'edited' }, { description: 'edited' }];
    const responses = await atOnce(id, (client, position) => client.send('PATCH', `/api/content/${id}`, fields[position]));
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect((await service.client.get(`/api/content/${id}`)).body).toMatchObject({ name: 'edited', description: 'edited' });
  });

  it('two concurrent ratings of one user at two API processes count once', async () => {
    const id = await service.client.upload();
    const responses = await atOnce(id, (client, position) =>
      client.send('PUT', `/api/content/${id}/rating`, { score: 1 + 3 * position }, USERS.boris),
    );
    expect(responses.map(({ status }) => status)).toEqual([204, 204]);
    expect(await storedRating(id)).toEqual({ ...(await actualRating(id)), ratingCount: 1 });
  });

  it('concurrent change and removal of a rating at two API processes keep sum and count consistent', async () => {
    const id = await service.client.upload();
    const send = (client: typeof service.client, method: string, body?: object) =>
      client.send(method, `/api/content/${id}/rating`, body, USERS.boris);
    await send(service.client, 'PUT', { score: 5 });
    const responses = await atOnce(id, (client, position) => (position === 0 ? send(client, 'PUT', { score: 2 }) : send(client, 'DELETE')));
    expect(responses.map(({ status }) => status)).toEqual([204, 204]);
    expect(await storedRating(id)).toEqual(await actualRating(id));
  });

  it('a rating concurrent with a deletion at another API process does not change the totals of the deleted item', async () => {
    const id = await service.client.upload();
    const [deleted, rated] = await atOnce(id, (client, position) =>
      position === 0
        ? client.send('DELETE', `/api/content/${id}`)
        : client.send('PUT', `/api/content/${id}/rating`, { score: 2 }, USERS.boris),
    );
    expect(deleted?.status).toBe(204);
    expect([204, 404]).toContain(rated?.status);
    // A rating that was stored first remains until the purge, but is not part of the totals.
    expect(await actualRating(id)).toMatchObject({ ratingCount: rated?.status === 204 ? 1 : 0 });
    expect(await storedRating(id)).toEqual({ ratingSum: 0, ratingCount: 0 });
  });

  it('concurrent downloads at two API processes are all counted', async () => {
    const id = await service.client.upload();
    const clients = Array.from({ length: 40 }, (_, n) => (n % 2 ? service.client : other.client));
    const responses = await Promise.all(clients.map((client) => client.send('POST', `/api/content/${id}/downloads`)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([204]));
    expect((await service.client.get(`/api/content/${id}`)).body).toMatchObject({ downloadsCount: 40, latestDownloadsCount: 40 });
  });

  async function storedRating(contentId: number) {
    const [row] = await service.database.query('select rating_sum, rating_count from content where content_id = $1', [contentId]);
    return row;
  }

  async function actualRating(contentId: number) {
    const [row] = await service.database.query(
      'select coalesce(sum(score), 0)::bigint as rating_sum, count(*) as rating_count from rating where content_id = $1',
      [contentId],
    );
    return row;
  }
});
