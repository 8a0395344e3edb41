import { describe, expect, it } from '@jest/globals';
import { USERS } from '../support/processes/environment.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { png } from '../support/database/images.ts';
import { startService } from '../support/processes/service.ts';
import { tokenOf } from '../support/http/tokens.ts';

const PNG = png().toString('base64');

const service = forAllTests(() => startService());

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

  it.each([
    ['null for required fields', { name: null, description: null }, ['#/name', '#/description']],
    ['a blank name', { name: '  ' }, ['#/name']],
    ['a wrong type', { version: '2', tags: 'a' }, ['#/version', '#/tags']],
    ['too many tags', { tags: Array.from({ length: 33 }, () => 7) }, ['#/tags']],
    ['an invalid thumbnail', { thumbnail: 'aGVsbG8=' }, ['#/thumbnail']],
    ['U+0000', { data: 'a\u0000b' }, ['#/data']],
    ['an array instead of an object', [], ['#']],
  ])('with %s is 400 and changes nothing', async (_what, body, pointers) => {
    const id = await service.client.upload();
    const before = (await read(id)).headers.get('etag');
    const response = await patch(id, body);
    expect(response.status).toBe(400);
    expect(response.body.errors.map((error: { pointer: string }) => error.pointer)).toEqual(pointers);
    expect((await read(id)).headers.get('etag')).toBe(before);
  });

  it('by another user is 403 unless the token has the scope content:write:any', async () => {
    const id = await service.client.upload({}, USERS.ada);
    expect((await patch(id, { name: 'mine' }, {}, USERS.boris)).status).toBe(403);
    const token = await tokenOf(USERS.boris, { scope: 'content:write:any' });
    const response = await service.client.request('PATCH', `/api/content/${id}`, {
      token,
      body: '{"name":"moderated"}',
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    expect(response.body).toMatchObject({ name: 'moderated', creatorId: USERS.ada });
  });

  it('of an item that does not exist is 404', async () => {
    expect((await patch(999_999, { name: 'x' })).status).toBe(404);
  });

  it('with another content type is 415', async () => {
    const id = await service.client.upload();
    expect((await patch(id, {}, { 'content-type': 'application/json-patch+json' })).status).toBe(415);
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

  it.each([
    ['*', 200],
    ['"0.1"', 200],
    ['"0.999", "5.1"', 200],
    ['"t0"', 412],
    ['"1.1"', 412],
    ['W/"0.1"', 200],
    ['"5.1", W/"0.1"', 200],
    ['"0.1-gzip"', 200],
    ['W/"1.1"', 412],
    ['w/"0.1"', 412],
    ['W/0.1', 412],
    ['W/"t0"', 412],
    ['0.1', 412],
  ])('in If-Match: %s gives %i for an item that was never edited', async (header, status) => {
    const id = await service.client.upload();
    expect((await patch(id, { name: 'x' }, { 'if-match': header })).status).toBe(status);
  });
});

it('include=tags adds the tags to an item and to the items of a list', async () => {
  const id = await service.client.upload({ name: 'Xylophone', tags: ['b', 'a'] });
  await service.indexed();
  expect((await read(id)).body).not.toHaveProperty('tags');
  expect((await read(id, '?include=tags')).body.tags).toEqual(['b', 'a']);
  const list = await service.client.list({ prompt: 'xylophone', include: 'tags' });
  expect(list.body.content[0]).toMatchObject({ contentId: id, tags: ['b', 'a'] });
  expect((await read(id, '?include=everything')).status).toBe(400);
});
