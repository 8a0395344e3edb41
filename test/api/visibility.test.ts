import { beforeAll, describe, expect, it } from '@jest/globals';
import type { JWTPayload } from 'jose';
import pg from 'pg';
import { UgcClient } from '../../packages/client/src/index.ts';
import { declareFields } from '../support/database/declared-fields.ts';
import { png } from '../support/database/images.ts';
import type { ApiResponse } from '../support/http/client.ts';
import { expectProblem } from '../support/http/problems.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';
import { apiCommand, failureOf } from '../support/processes/command.ts';
import { createEnvironment, USERS } from '../support/processes/environment.ts';
import { createImports, itemsOf, lineWith, NONE, rejectedIn } from '../support/processes/imports.ts';
import { startAnotherApi } from '../support/processes/api-alone.ts';
import { openStores, startService } from '../support/processes/service.ts';

const service = forAllTests(async () => {
  const started = await startService();
  await started.database.query(
    `insert into users (user_id, username, credential) values (11, 'Daniel', 'test|11'), (12, 'Élodie', 'test|12')`,
  );
  return started;
});
const [DANIEL, ELODIE] = [11, 12];

const CREATOR = USERS.ada;
const STRANGER = USERS.boris;
const MODERATOR = USERS['Chloé Dubois'];
const MODERATE = { scope: 'content:moderate' };
const WAIT = { prefer: 'wait=10' };
const NO_HEADERS: Record<string, string> = {};

type Request = { body?: object; userId?: number; claims?: JWTPayload; headers?: Record<string, string>; client?: typeof service.client };

async function send(
  method: string,
  path: string,
  { body, userId = CREATOR, claims = {}, headers = {}, client = service.client }: Request = {},
) {
  return client.request(method, path, {
    token: await tokenOf(userId, claims),
    ...(body && { body: JSON.stringify(body) }),
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
  });
}

const get = (id: number, { query = '', ...request }: Request & { query?: string } = {}): Promise<ApiResponse> =>
  send('GET', `/api/content/${id}${query}`, request);
const edit = (id: number, body: object, request: Request = {}): Promise<ApiResponse> =>
  send('PATCH', `/api/content/${id}`, { body, headers: WAIT, ...request });
const asModerator = (method: string, path: string, body?: object): Promise<ApiResponse> =>
  send(method, path, { userId: MODERATOR, claims: MODERATE, headers: WAIT, ...(body && { body }) });
const isListed = async (id: number): Promise<boolean> => (await service.client.list({ contentId: id, size: 1 })).body.totalElements === 1;
const inOutbox = (id: number) => service.database.query('select revision from index_outbox where content_id = $1', [id]);
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

async function upload(fields: object, request: Request = {}): Promise<ApiResponse> {
  const { userId = CREATOR } = request;
  const item = { creatorId: userId, name: 'Kettle', description: '', version: 1, data: '{}', ...fields };
  return send('POST', '/content', { body: item, ...request });
}
const uploaded = async (fields: object, request: Request = {}): Promise<number> => (await upload(fields, request)).body.content_id;

/** The time of a scheduled item has come. */
const makeDue = (id: number) =>
  service.database.query(`update unpublished_content set publish_at = now() - interval '1 s' where content_id = $1`, [id]);

it('the client waits for no list to show an item that is not public, and until one that was public is gone', async () => {
  const ugc = new UgcClient({ baseUrl: service.client.baseUrl, token: await tokenOf(CREATOR) });
  const item = { creatorId: CREATOR, name: 'Of a client', description: '', version: 1, data: '' };
  const { contentId: id, ...uploaded } = await ugc.uploadAndWait({ ...item, visibility: 'unlisted' });
  expect(uploaded).toMatchObject({ visibility: 'unlisted', key: expect.any(String) });
  expect(await ugc.editAndWait(id, { name: 'Still of a client' })).toMatchObject({ visibility: 'unlisted' });
  expect(await ugc.editAndWait(id, { visibility: 'public' })).toMatchObject({ visibility: 'public' });
  expect(await isListed(id)).toBe(true);
  expect(await ugc.editAndWait(id, { visibility: 'draft' })).toMatchObject({ visibility: 'draft' });
  expect(await isListed(id)).toBe(false);
});

describe('an upload', () => {
  it('says nothing of its visibility unless it asks for one', async () => {
    const { body } = await upload({});
    expect(Object.keys(body)).toEqual(['content_id', 'data', 'creator', 'name', 'description', 'version', 'contentDates']);
    expect((await upload({ visibility: 'public' })).body.visibility).toBe('public');
    expect((await get(body.content_id, { query: '?include=visibility' })).body.visibility).toBe('public');
    expect((await get(body.content_id)).body).not.toHaveProperty('visibility');
  });

  it('as a draft is nowhere but with its creator, and nothing of it is in the outbox', async () => {
    const response = await upload({ visibility: 'draft' }, { headers: WAIT });
    const { content_id: id } = response.body;
    expect([response.status, response.body.visibility, response.headers.get('preference-applied')]).toEqual([201, 'draft', null]);
    const own = await get(id);
    expect([own.status, own.body.visibility, own.headers.get('cache-control')]).toEqual([200, 'draft', 'private, no-store']);
    expectProblem(await get(id, { userId: STRANGER }), 404, 'item-unknown');
    expectProblem(await get(id, { userId: MODERATOR, claims: MODERATE }), 404, 'item-unknown');
    expect((await edit(id, { name: 'Pot' })).body).toMatchObject({ name: 'Pot', visibility: 'draft' });
    expect(await service.database.query('select revision, edits from content where content_id = $1', [id])).toEqual([{ revision: 1, edits: 1 }]); // prettier-ignore
    expect(await inOutbox(id)).toEqual([]);
    expect(await isListed(id)).toBe(false);
  });

  it.each([
    [{ visibility: 'secret' }, '#/visibility', 'must be public, unlisted or draft'],
    [{ visibility: 'review' }, '#/visibility', 'must be public, unlisted or draft'],
    [{ visibility: 'public', publishAt: '2999-01-01' }, '#/publishAt', 'is only for an item that is not public yet'],
    [{ publishAt: '2020-01-01' }, '#/publishAt', 'must be in the future, and not 2020-01-01T00:00:00.000Z'],
    [{ publishAt: 'tomorrow' }, '#/publishAt', 'must be a time with an offset'],
    [{ publishAt: 4_102_444_800_000 }, '#/publishAt', 'must be a time with an offset'],
  ])('with %j says what is wrong and what would be right', async (fields, pointer, detail) => {
    const { errors } = expectProblem(await upload(fields), 400, 'invalid-body');
    expect(errors).toEqual([expect.objectContaining({ pointer, detail: expect.stringContaining(detail) })]);
  });

  it('with null for both is as without them, also for its Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'visibility-null' };
    const first = await upload({}, { headers });
    const again = await upload({ visibility: null, publishAt: null }, { headers });
    expect([again.status, again.body]).toEqual([201, first.body]);
  });

  it('is repeated as it was answered, also after its time', async () => {
    const headers = { 'idempotency-key': 'visibility-key' };
    const body = { visibility: 'unlisted', publishAt: inDays(1) };
    const first = await upload(body, { headers });
    expect(first.body.key).toMatch(/^[0-9a-f]{32}$/);
    await makeDue(first.body.content_id);
    await until('it is public', () => isListed(first.body.content_id));
    const again = await upload(body, { headers });
    expect([again.status, again.body]).toEqual([201, first.body]);
    expectProblem(await upload({ ...body, visibility: 'draft' }, { headers }), 422, 'key-used');
  });
});

describe('publishing', () => {
  it('makes a draft new, and an item that was public before keeps its times', async () => {
    const id = await uploaded({ visibility: 'draft' });
    await service.database.query(`update content set created_at = '2020-01-01', updated_at = '2020-01-02' where content_id = $1`, [id]);
    const published = await edit(id, { visibility: 'public' });
    expect([published.status, published.body.visibility, published.headers.get('preference-applied')]).toEqual([200, 'public', 'wait=10']);
    expect(published.body.createdAt).toBe(published.body.updatedAt);
    expect(Date.parse(published.body.createdAt)).toBeGreaterThan(Date.parse('2026-01-01'));
    expect(await isListed(id)).toBe(true);
    const withdrawn = await edit(id, { visibility: 'draft' });
    expect([withdrawn.body.visibility, withdrawn.headers.get('preference-applied')]).toEqual(['draft', 'wait=10']);
    expect(await isListed(id)).toBe(false);
    const { createdAt, updatedAt } = (await edit(id, { visibility: 'public' })).body;
    expect({ createdAt, updatedAt }).toEqual({ createdAt: published.body.createdAt, updatedAt: published.body.updatedAt });
    expect(await isListed(id)).toBe(true);
  });

  it('at its time makes the item new and puts it into lists, and never before', async () => {
    const id = await uploaded({ publishAt: inDays(1), name: 'Scheduled' });
    expect((await get(id)).body).toMatchObject({ visibility: 'draft', publishAt: expect.stringContaining('T') });
    const other = await uploaded({ publishAt: inDays(1) });
    await makeDue(other);
    await until('the one that is due is public', () => isListed(other));
    expect([await isListed(id), (await get(id, { userId: STRANGER })).status]).toEqual([false, 404]);
    expect((await edit(id, { publishAt: null })).body).not.toHaveProperty('publishAt');
    await edit(id, { publishAt: inDays(2) });
    await makeDue(id);
    await until('it is public', () => isListed(id));
    const { createdAt, updatedAt } = (await get(id, { userId: STRANGER })).body;
    expect(createdAt).toBe(updatedAt);
  });

  it('never happens to an item that is hidden at its time, or whose creator is blocked then', async () => {
    const hidden = await uploaded({ visibility: 'unlisted', publishAt: inDays(1) });
    expect((await asModerator('PUT', `/api/content/${hidden}/hidden`, { reason: 'spam' })).status).toBe(204);
    const blocked = await uploaded({ publishAt: inDays(1) }, { userId: DANIEL });
    const [other, last] = [await uploaded({ publishAt: inDays(1) }), await uploaded({ publishAt: inDays(1) })];
    expect(failureOf(await apiCommand(service.env, 'users', 'block', String(DANIEL), '--reason', 'spam'))).toBe('');
    for (const id of [hidden, blocked, other]) await makeDue(id);
    await until('the other is public', () => isListed(other));
    await makeDue(last);
    await until('the last is public', () => isListed(last));
    expect(failureOf(await apiCommand(service.env, 'users', 'unblock', String(DANIEL)))).toBe('');
    expect((await asModerator('DELETE', `/api/content/${hidden}/hidden`)).status).toBe(204);
    expect((await get(hidden)).body.visibility).toBe('unlisted');
    expect((await get(blocked, { userId: DANIEL })).body.visibility).toBe('draft');
    expect([await isListed(hidden), await isListed(blocked)]).toEqual([false, false]);
  });

  it('of an edit that somebody else has overtaken fails with If-Match', async () => {
    const id = await uploaded({ visibility: 'draft' });
    const tag = (await get(id)).headers.get('etag') ?? '';
    await edit(id, { visibility: 'unlisted' });
    expectProblem(await edit(id, { visibility: 'public' }, { headers: { 'if-match': tag } }), 412, 'edited-since');
    expect((await get(id, { headers: { 'if-none-match': '*' } })).status).toBe(200);
  });
});

describe('an unlisted item', () => {
  const picture = png().toString('base64');

  it('is read, shown, rated and downloaded with its key, and is unknown without it', async () => {
    const { content_id: id, key } = (await upload({ visibility: 'unlisted', thumbnail: picture })).body;
    const requests: [string, string, object?][] = [
      ['GET', ''],
      ['GET', '/thumbnail'],
      ['PUT', '/rating', { score: 4 }],
      ['GET', '/rating'],
      ['DELETE', '/rating'],
      ['POST', '/downloads'],
    ];
    for (const [method, path, body] of requests) {
      const ask = (query: string) => send(method, `/api/content/${id}${path}${query}`, { userId: STRANGER, ...(body && { body }) });
      expect([path, (await ask(`?key=${key}`)).status]).toEqual([path, method === 'GET' ? 200 : 204]);
      for (const query of ['', `?key=${'0'.repeat(32)}`]) expectProblem(await ask(query), 404);
      expectProblem(await ask('?key=short'), 400, 'invalid-parameters');
    }
    const { body, headers } = await get(id, { userId: STRANGER, query: `?key=${key}` });
    expect(body).toMatchObject({ visibility: 'unlisted', downloadsCount: 1 });
    expect([body.key, headers.get('etag'), headers.get('cache-control')]).toEqual([undefined, null, 'private, no-store']);
    expectProblem(await send('PUT', `/api/content/${id}/rating?key=${key}`, { body: { score: 5 } }), 403, 'own-item');
    expect(await inOutbox(id)).toEqual([]);
    expect(await isListed(id)).toBe(false);
  });

  it('has a new key on request, which ends the former one', async () => {
    const { content_id: id, key } = (await upload({ visibility: 'unlisted' })).body;
    expectProblem(await send('POST', `/api/content/${id}/key`, { userId: STRANGER }), 404);
    const renewed = await send('POST', `/api/content/${id}/key`);
    expect(renewed.status).toBe(200);
    expect((await get(id)).body.key).toBe(renewed.body.key);
    expect((await get(id, { userId: STRANGER, query: `?key=${key}` })).status).toBe(404);
    expect((await get(id, { userId: STRANGER, query: `?key=${renewed.body.key}` })).status).toBe(200);
    await edit(id, { visibility: 'draft' });
    expectProblem(await send('POST', `/api/content/${id}/key`), 409, 'not-unlisted');
    expect((await get(id, { userId: STRANGER, query: `?key=${renewed.body.key}` })).status).toBe(404);
  });

  it('that a moderator hides and shows changes no list, so nothing is waited for, also when it is repeated', async () => {
    const id = await uploaded({ visibility: 'unlisted' });
    const applied: (string | null)[] = [];
    for (const method of ['PUT', 'PUT', 'DELETE', 'DELETE']) {
      const { status, headers } = await asModerator(method, `/api/content/${id}/hidden`, method === 'PUT' ? { reason: 'spam' } : undefined);
      expect(status).toBe(204);
      applied.push(headers.get('preference-applied'));
    }
    expect(applied).toEqual([null, null, null, null]);
  });

  it('that a moderator hides is unlisted again, with its key, when it is shown', async () => {
    const { content_id: id, key } = (await upload({ visibility: 'unlisted' })).body;
    const stranger = async (): Promise<number> => (await get(id, { userId: STRANGER, query: `?key=${key}` })).status;
    expect((await asModerator('PUT', `/api/content/${id}/hidden`, { reason: 'spam' })).status).toBe(204);
    expect([await stranger(), (await get(id)).body.hidden.reason]).toEqual([404, 'spam']);
    expectProblem(await edit(id, { visibility: 'public' }), 403, 'item-hidden');
    expect((await asModerator('DELETE', `/api/content/${id}/hidden`)).status).toBe(204);
    expect([await stranger(), await isListed(id)]).toEqual([200, false]);
  });
});

it('a moderator neither hides nor shows a draft', async () => {
  const id = await uploaded({ visibility: 'draft' });
  expectProblem(await asModerator('PUT', `/api/content/${id}/hidden`, { reason: 'spam' }), 404);
  expectProblem(await asModerator('DELETE', `/api/content/${id}/hidden`), 404);
  expectProblem(await asModerator('PUT', `/api/content/${id}/review`, { decision: 'publish' }), 404);
  expect((await get(id)).body.visibility).toBe('draft');
});

it('a token that uploads for others edits and deletes their unpublished items, and reads none', async () => {
  const machine = { userId: STRANGER, claims: { scope: 'content:write:any' } };
  const { content_id: id } = (await upload({ visibility: 'draft', creatorId: CREATOR }, machine)).body;
  expectProblem(await get(id, machine), 404, 'item-unknown');
  expect((await edit(id, { name: 'Pan', visibility: 'unlisted' }, machine)).body).toMatchObject({ name: 'Pan', visibility: 'unlisted' });
  const { body } = await send('POST', `/api/content/${id}/key`, machine);
  expect((await get(id)).body).toMatchObject({ name: 'Pan', key: body.key });
  expect((await asModerator('PUT', `/api/content/${id}/hidden`, { reason: 'spam' })).status).toBe(204);
  for (const headers of [NO_HEADERS, { 'if-match': '"0"' }]) {
    expectProblem(await edit(id, { name: 'Pot' }, { ...machine, headers }), 404, 'item-unknown');
    expectProblem(await send('DELETE', `/api/content/${id}`, { ...machine, headers }), 404, 'item-unknown');
  }
  expectProblem(await send('POST', `/api/content/${id}/key`, machine), 404, 'item-unknown');
  expect((await asModerator('DELETE', `/api/content/${id}/hidden`)).status).toBe(204);
  expect((await send('DELETE', `/api/content/${id}`, machine)).status).toBe(204);
  expectProblem(await get(id), 404, 'item-unknown');
});

it('a deleted draft is gone, and nothing of it was in the outbox', async () => {
  const id = await uploaded({ visibility: 'draft' });
  expect((await send('DELETE', `/api/content/${id}`, { headers: WAIT })).status).toBe(204);
  expect([(await get(id)).status, await inOutbox(id)]).toEqual([404, []]);
  expect(await service.database.query('select from unpublished_content where content_id = $1', [id])).toEqual([]);
});

it('one list shows its user all of the items, the last stored first', async () => {
  const userId = ELODIE;
  const draft = await uploaded({ visibility: 'draft', name: 'a draft' }, { userId });
  const open = await uploaded({ name: 'an open one' }, { userId });
  const { body } = await send('GET', '/api/users/me/content?include=visibility&fields=summary', { userId });
  expect(body.content.map(({ contentId, visibility }: { contentId: number; visibility: string }) => [contentId, visibility])).toEqual([
    [open, 'public'],
    [draft, 'draft'],
  ]);
  expect((await send('GET', '/api/users/me/content', { userId: STRANGER })).text).not.toContain('a draft');
});

it('the total of this list is exact to 10,000; of more items it is at least 10,001, and the last page is known as the last', async () => {
  const [{ userId } = { userId: 0 }] = await service.database.query<{ userId: number }>(
    `insert into users (username, credential) values ('Many', 'test|many') returning user_id`,
  );
  const store = async (items: number) =>
    service.database.query(
      `with stored as (
         insert into content (creator_id, name, description, data, version, deleted_at)
         select $1, 'one of many', '', '', 1, 'infinity' from generate_series(1, $2::int) returning content_id, creator_id
       )
       insert into unpublished_content (content_id, creator_id, kind) select content_id, creator_id, 'draft' from stored`,
      [userId, items],
    );
  const page = async (number: number) => {
    const { body } = await send('GET', `/api/users/me/content?size=200&page=${number}&fields=summary`, { userId });
    return [body.totalElements, body.numberOfElements, body.last];
  };
  await store(10_000);
  expect([await page(0), await page(49), await page(50)]).toEqual([
    [10_000, 200, false],
    [10_000, 200, true],
    [10_000, 0, true],
  ]);
  await store(250);
  expect([await page(0), await page(49), await page(50), await page(51), await page(52)]).toEqual([
    [10_001, 200, false],
    [10_001, 200, false],
    [10_201, 200, false],
    [10_250, 50, true],
    [10_001, 0, true],
  ]);
});

it('a process of 1.0.0 neither shows a draft nor leaves anything of a deleted one', async () => {
  const [shown, deleted] = [await uploaded({ visibility: 'draft' }), await uploaded({ visibility: 'draft' })];
  // What DELETE …/hidden and DELETE of 1.0.0 do.
  await service.database.query(`update content set deleted_at = null, revision = revision + 1 where content_id = $1`, [shown]);
  await service.database.query(`update content set deleted_at = now(), revision = revision + 1, name = '' where content_id = $1`, [
    deleted,
  ]);
  expectProblem(await get(shown, { userId: STRANGER }), 404);
  expect((await get(shown)).body.visibility).toBe('draft');
  expect(await service.database.query('select from unpublished_content where content_id = $1', [deleted])).toEqual([]);
});

describe('with NEW_ITEMS=review', () => {
  const reviewing = forAllTests(() => startAnotherApi({ ...service.env, NEW_ITEMS: 'review' }));
  const uploadForReview = (fields: object = {}, claims: JWTPayload = {}): Promise<ApiResponse> =>
    upload(fields, { client: reviewing.client, claims });
  const queue = async (query = ''): Promise<number[]> => {
    const { body } = await asModerator('GET', `/api/content/hidden?kind=review&size=200${query}`);
    return body.content.map(({ contentId }: { contentId: number }) => contentId);
  };
  const review = (id: number, body: object, headers: Record<string, string> = WAIT): Promise<ApiResponse> =>
    send('PUT', `/api/content/${id}/review`, { userId: MODERATOR, claims: MODERATE, body, headers });

  it('an upload waits for a moderator, unless its token may publish', async () => {
    const { content_id: id, visibility } = (await uploadForReview()).body;
    expect([visibility, (await get(id)).body.visibility, await inOutbox(id)]).toEqual(['review', 'review', []]);
    expect((await uploadForReview({ visibility: 'unlisted' })).body).toMatchObject({ visibility: 'review' });
    expect((await uploadForReview({}, { scope: 'content:publish' })).body).not.toHaveProperty('visibility');
    expect([(await get(id, { userId: STRANGER })).status, (await get(id, { userId: MODERATOR, claims: MODERATE })).status]).toEqual([
      404, 200,
    ]);
    expect(await queue()).toContain(id);
    expect((await asModerator('GET', '/api/content/hidden?size=200')).text).not.toContain(`"contentId":${id},`);
    expectProblem(await send('PUT', `/api/content/${id}/review`, { body: { decision: 'publish' } }), 403, 'scope-missing');
    expect((await review(id, { decision: 'publish' })).status).toBe(204);
    expect([await isListed(id), (await queue()).includes(id)]).toEqual([true, false]);
    expect((await review(id, { decision: 'publish' })).status).toBe(204);
    expectProblem(await review(id, { decision: 'refuse', reason: 'late' }), 404);
  });

  const AT_A_TIME = { publishAt: '2999-12-24T18:00:00.000+00:00' };
  const AFTER_REVIEW: [string, { visibility?: string; publishAt?: string }][] = [
    ['public', {}],
    ['unlisted', { visibility: 'unlisted' }],
    ['draft', AT_A_TIME],
    ['unlisted', { visibility: 'unlisted', ...AT_A_TIME }],
  ];

  it.each(AFTER_REVIEW)('a decision that makes an item %s is repeated after a lost response as it was made: %j', async (_, asked) => {
    const { content_id: id } = (await uploadForReview()).body;
    await edit(id, asked);
    const tag = (await get(id, { userId: MODERATOR, claims: MODERATE })).headers.get('etag') ?? '';
    const decide = (): Promise<ApiResponse> => review(id, { decision: 'publish' }, { 'if-match': tag });
    expect((await decide()).status).toBe(204);
    const decided = (await get(id)).body;
    expect([(await decide()).status, (await get(id)).body]).toEqual([204, decided]);
  });

  it.each(AFTER_REVIEW)('moderators read that an item becomes %s when they publish it, as its creator does: %j', async (then, asked) => {
    const { content_id: id, ...uploadedItem } = (await uploadForReview({ visibility: asked.visibility ?? 'public' })).body;
    expect(uploadedItem).toMatchObject({ visibility: 'review', afterReview: asked.visibility ?? 'public' });
    const edited = (await edit(id, asked)).body;
    const { content } = (await asModerator('GET', '/api/content/hidden?kind=review&size=200')).body;
    const read = [
      edited,
      (await get(id)).body,
      (await get(id, { userId: MODERATOR, claims: MODERATE })).body,
      content.find((item: { contentId: number }) => item.contentId === id),
    ];
    for (const { visibility, publishAt, afterReview } of read)
      expect({ visibility, publishAt, afterReview }).toEqual({ visibility: 'review', publishAt: asked.publishAt, afterReview: then });
    await review(id, { decision: 'publish' });
    const { visibility = 'public', ...published } = (await get(id)).body;
    expect([visibility, published.publishAt, 'afterReview' in published]).toEqual([then, asked.publishAt, false]);
  });

  it('a hidden item is neither published nor refused until it is shown again', async () => {
    const { content_id: id } = (await uploadForReview()).body;
    expect((await asModerator('PUT', `/api/content/${id}/hidden`, { reason: 'spam' })).status).toBe(204);
    expectProblem(await review(id, { decision: 'publish' }), 409, 'item-hidden');
    expectProblem(await review(id, { decision: 'refuse', reason: 'spam' }), 409, 'item-hidden');
    expect((await get(id)).body).not.toHaveProperty('refusal');
    expect((await asModerator('DELETE', `/api/content/${id}/hidden`)).status).toBe(204);
    expect([(await review(id, { decision: 'publish' })).status, await isListed(id)]).toEqual([204, true]);
  });

  it.each(AFTER_REVIEW)('an item of a blocked creator does not become %s, keeps its time, and can be refused: %j', async (_, asked) => {
    const insert = `insert into users (username, credential) values ('Ivo', 'test|' || gen_random_uuid()) returning user_id`;
    const [user] = await service.database.query<{ userId: number }>(insert);
    const userId = user?.userId ?? 0;
    const { content_id: id } = (await upload({}, { client: reviewing.client, userId })).body;
    expect((await edit(id, asked, { userId })).status).toBe(200);
    expect(failureOf(await apiCommand(service.env, 'users', 'block', String(userId)))).toBe('');
    const before = (await get(id, { userId })).body;
    expectProblem(await review(id, { decision: 'publish' }), 403, 'user-blocked');
    expect([(await get(id, { userId })).body, await inOutbox(id)]).toEqual([before, []]);
    expect((await review(id, { decision: 'refuse', reason: 'Not yours.' })).status).toBe(204);
    expect(failureOf(await apiCommand(service.env, 'users', 'unblock', String(userId)))).toBe('');
    expect((await review(id, { decision: 'publish' })).status).toBe(204);
  });

  it('a refused item says why, and the next edit asks again', async () => {
    const { content_id: id } = (await uploadForReview()).body;
    expectProblem(await review(id, { decision: 'refuse' }), 400, 'invalid-body');
    expect((await review(id, { decision: 'refuse', reason: 'Needs a name.' })).status).toBe(204);
    expect((await get(id)).body.refusal).toMatchObject({ reason: 'Needs a name.' });
    expect(await queue()).not.toContain(id);
    const own = await send('GET', '/api/content/hidden?kind=review&size=200');
    expect(own.body.content.map((item: { contentId: number }) => item.contentId)).toContain(id);
    const edited = await edit(id, { name: 'Named' });
    expect(edited.body).not.toHaveProperty('refusal');
    expect((await queue('&order=newest'))[0]).toBe(id);
    expect((await queue('&order=oldest')).at(-1)).toBe(id);
  });

  it('an edit ends no review, with whatever right, and a moderator publishes what was read', async () => {
    const { content_id: id } = (await uploadForReview()).body;
    const tag = (await get(id, { userId: MODERATOR, claims: MODERATE })).headers.get('etag') ?? '';
    for (const visibility of ['public', 'unlisted']) {
      const response = await edit(id, { visibility }, { claims: { scope: 'content:publish' } });
      expect([response.status, response.body.visibility]).toEqual([200, 'review']);
    }
    expectProblem(await edit(id, { visibility: 'draft' }), 403, 'item-in-review');
    expectProblem(await review(id, { decision: 'publish' }, { 'if-match': tag }), 412, 'edited-since');
    expect((await review(id, { decision: 'publish' })).status).toBe(204);
    expect((await get(id)).body).toMatchObject({ visibility: 'unlisted', key: expect.any(String) });
  });

  it('a refused item is asked for again by its visibility alone', async () => {
    const { content_id: id } = (await uploadForReview()).body;
    expect((await review(id, { decision: 'refuse', reason: 'Not today.' })).status).toBe(204);
    expect((await edit(id, { visibility: 'public' })).body).not.toHaveProperty('refusal');
    expect(await queue()).toContain(id);
  });

  it('what is edited without the right after its approval, and before its time, is reviewed again', async () => {
    const { content_id: id } = (await uploadForReview({ visibility: 'unlisted', publishAt: inDays(1) })).body;
    expect((await review(id, { decision: 'publish' })).status).toBe(204);
    const change = { body: { name: 'Another text' } };
    expect((await send('PATCH', `/api/content/${id}`, { ...change, client: reviewing.client })).status).toBe(200);
    await makeDue(id);
    await until('it waits', async () => (await queue()).includes(id));
    expect(await isListed(id)).toBe(false);
  });

  describe('no edit without the right brings what nobody has reviewed to the public at the time of its item:', () => {
    beforeAll(async () => {
      await declareFields(service.database, { players: { type: 'number' } });
      await until('the field is known', async () => (await reviewing.client.get('/api/fields')).text.includes('players'));
    });
    const RIGHT = { scope: 'content:publish' };
    const approve = async (): Promise<number> => {
      const { content_id: id } = (await uploadForReview({ visibility: 'unlisted', publishAt: inDays(1) })).body;
      expect((await review(id, { decision: 'publish' })).status).toBe(204);
      return id;
    };
    const uploadWithRight = async (fields: object): Promise<number> => (await uploadForReview(fields, RIGHT)).body.content_id;
    const STARTS: Record<string, () => Promise<number>> = {
      'an approved item': approve,
      'a draft': () => uploadWithRight({ visibility: 'draft', publishAt: inDays(1) }),
      'an unlisted item': () => uploadWithRight({ visibility: 'unlisted', publishAt: inDays(1) }),
      'a withdrawn item': async () => {
        const id = await uploadWithRight({});
        expect((await edit(id, { visibility: 'draft', publishAt: inDays(1) }, { claims: RIGHT, headers: {} })).status).toBe(200);
        return id;
      },
    };
    const EDITS: Record<string, object> = {
      name: { name: 'spam' },
      description: { description: 'spam' },
      data: { data: 'spam' },
      version: { version: 2 },
      fileName: { fileName: 'spam.json' },
      tags: { tags: ['spam'] },
      thumbnail: { thumbnail: png().toString('base64') },
      fields: { fields: { players: 3 } },
    };
    const MOVES: Record<string, object> = {
      'as a draft': { visibility: 'draft' },
      unlisted: { visibility: 'unlisted' },
      public: { visibility: 'public' },
      'at another time': { publishAt: inDays(2) },
      'unlisted at another time': { visibility: 'unlisted', publishAt: inDays(2) },
      'at no time': { publishAt: null },
    };
    const inOne = Object.values(EDITS).flatMap((change) => [{ visibility: 'draft' }, { visibility: 'unlisted' }].map((move) => [{ ...change, ...move }])); // prettier-ignore
    const { name } = EDITS;
    const inOrders = Object.values(MOVES).flatMap((move) => [[{ ...name, ...move }], [name, move], [move, name]]);

    it.each(Object.entries(STARTS))('%s', async (_, start) => {
      const ids: number[] = [];
      for (const edits of [...inOne, ...inOrders]) {
        const id = await start();
        ids.push(id);
        // What is in review already cannot become a draft.
        for (const body of edits) expect([200, 403]).toContain((await edit(id, body!, { client: reviewing.client })).status);
      }
      const rows = await service.database.query<{ mayPublish: boolean }>(
        `select may_publish from unpublished_content where content_id = any($1::bigint[])`,
        [ids],
      );
      expect([rows.length, rows.filter(({ mayPublish }) => mayPublish)]).toEqual([ids.length, []]);
      await service.database.query('delete from content where content_id = any($1::bigint[])', [ids]);
    });
  });

  it('a time that a token without the right has set leads to a review', async () => {
    const [without, withRight] = [
      (await uploadForReview({ publishAt: inDays(1) })).body.content_id,
      (await uploadForReview({ publishAt: inDays(1) }, { scope: 'content:publish' })).body.content_id,
    ];
    for (const id of [without, withRight]) await makeDue(id);
    await until('the one with the right is public', () => isListed(withRight));
    await until('the other waits', async () => (await queue()).includes(without));
    expect((await get(without, { userId: STRANGER })).status).toBe(404);
  });
});

describe('while a process of 1.0.0 is connected', () => {
  const connect = async (name: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: service.env['DATABASE_URL'], application_name: name });
    await client.connect();
    return client;
  };

  it('a visibility and a time are refused in uploads, edits and imports, and everything else is not', async () => {
    const id = await uploaded({ visibility: 'draft' });
    const earlier = await connect('ugc-api');
    await until('it is seen', async () => (await upload({ visibility: 'draft' })).status === 503);
    expectProblem(await upload({ publishAt: inDays(1) }), 503, 'upgrade-unfinished');
    expectProblem(await edit(id, { visibility: 'public' }), 503, 'upgrade-unfinished');
    expect([(await upload({})).status, (await edit(id, { name: 'Pan' })).status, (await get(id)).status]).toEqual([201, 200, 200]);
    const { importOf } = await createImports();
    const lines = [lineWith({ externalId: 'a', visibility: 'draft' }), lineWith({ externalId: 'b' })];
    expect((await importOf(service.env, lines)).json).toEqual([{ ...NONE, created: 1, rejected: 1 }]);
    await earlier.end();
    await until('it is not seen any more', async () => (await upload({ visibility: 'draft' })).status === 201);
    expect((await importOf(service.env, lines)).json).toEqual([{ ...NONE, created: 1, unchanged: 1 }]);
  });
});

describe('lines of imports and exports', () => {
  it('move every kind of item to another database as it is', async () => {
    const { importOf } = await createImports();
    const env = await createEnvironment();
    const lines = [
      lineWith({ externalId: 'move/draft', visibility: 'draft' }),
      lineWith({ externalId: 'move/time', visibility: 'draft', publishAt: '2999-01-01T00:00:00.000+00:00' }),
      lineWith({ externalId: 'move/unlisted', visibility: 'unlisted' }),
      lineWith({ externalId: 'move/hidden', visibility: 'unlisted', hidden: { reason: 'spam' } }),
      lineWith({ externalId: 'move/public', visibility: 'public' }),
      lineWith({
        externalId: 'move/review',
        visibility: 'review',
        unpublished: { wantsUnlisted: true, refusal: { reason: 'a name', since: '2026-01-02T00:00:00.000+00:00' } },
      }),
      lineWith({ externalId: 'move/hidden-draft', visibility: 'draft', hidden: { reason: 'spam' } }),
    ];
    expect((await importOf(env, lines)).json).toEqual([{ ...NONE, created: lines.length }]);
    const exported = itemsOf(await apiCommand(env, 'export'));
    expect(exported.map(({ visibility }) => visibility)).toEqual(['draft', 'draft', 'unlisted', 'unlisted', undefined, 'review', 'draft']);
    expect(exported[1]).toMatchObject({ publishAt: '2999-01-01T00:00:00.000+00:00', unpublished: { mayPublish: true } });
    expect(exported[2]).toMatchObject({ unpublished: { key: expect.stringMatching(/^[0-9a-f]{32}$/) } });
    const refusal = { reason: 'a name', since: '2026-01-02T00:00:00.000+00:00' };
    expect(exported[5]).toMatchObject({ visibility: 'review', unpublished: { wantsUnlisted: true, refusal } });
    expect(exported[6]).toMatchObject({ visibility: 'draft', hidden: { reason: 'spam' } });
    const other = await createEnvironment();
    expect((await importOf(other, exported)).json).toEqual([{ ...NONE, created: lines.length }]);
    const withoutIds = (all: Record<string, unknown>[]) => all.map(({ contentId: _, ...line }) => line);
    expect(withoutIds(itemsOf(await apiCommand(other, 'export')))).toEqual(withoutIds(exported));
    const stores = openStores(other);
    // The index is to have what is public, and no document of what is hidden.
    expect(await stores.database.query('select name from index_outbox join content using (content_id)')).toHaveLength(1);
    await stores.close();
  });

  it('name what is wrong, and edit a draft without publishing it', async () => {
    const { importOf } = await createImports();
    const draft = lineWith({ externalId: 'edit/draft', visibility: 'draft' });
    expect((await importOf(service.env, [draft])).json).toEqual([{ ...NONE, created: 1 }]);
    const { json } = await importOf(service.env, [lineWith({ externalId: 'edit/draft', name: 'Renamed', visibility: 'public' })]);
    expect(json).toMatchObject([{ changed: 1, ignoredFields: { visibility: 1 } }]);
    const [item] = await service.database.query<{ contentId: number; revision: number }>(
      `select content_id, revision from content where name = 'Renamed'`,
    );
    expect([item?.revision, await inOutbox(item?.contentId ?? 0)]).toEqual([1, []]);
    const wrong = [
      lineWith({ externalId: 'wrong/1', visibility: 'secret' }),
      lineWith({ externalId: 'wrong/2', publishAt: '2999-01-01' }),
      lineWith({ externalId: 'wrong/3', visibility: 'unlisted', unpublished: { key: 'short' } }),
    ];
    const { json: counts, file } = await importOf(service.env, wrong);
    expect(counts).toMatchObject([{ rejected: 3 }]);
    expect((await rejectedIn(file)).map(({ errors }) => errors[0]?.pointer)).toEqual(['#/visibility', '#/publishAt', '#/unpublished/key']);
  });

  it('give a user a copy of what only the user sees, and an erasure removes it', async () => {
    const userId = 13;
    await service.database.query(`insert into users (user_id, username, credential) values (13, 'Greta', 'test|13')`);
    const id = await uploaded({ visibility: 'unlisted', publishAt: inDays(1), name: 'Mine' }, { userId });
    const copy = (await apiCommand(service.env, 'users', 'export', String(userId))).json;
    expect(copy[1]).toMatchObject({ name: 'Mine', visibility: 'unlisted', unpublished: { key: expect.any(String) } });
    expect(failureOf(await apiCommand(service.env, 'users', 'erase', String(userId)))).toBe('');
    expect(await service.database.query('select from unpublished_content where content_id = $1', [id])).toEqual([]);
    expect(await inOutbox(id)).toEqual([]);
  });
});

it('a block hides an unlisted item, and leaves a draft to its creator', async () => {
  const userId = 14;
  await service.database.query(`insert into users (user_id, username, credential) values (14, 'Hugo', 'test|14')`);
  const { content_id: unlisted, key } = (await upload({ visibility: 'unlisted' }, { userId })).body;
  const draft = await uploaded({ visibility: 'draft' }, { userId });
  expect(failureOf(await apiCommand(service.env, 'users', 'block', String(userId), '--reason', 'spam', '--hide'))).toBe('');
  const stranger = async (): Promise<number> => (await get(unlisted, { userId: STRANGER, query: `?key=${key}` })).status;
  expect([await stranger(), (await get(draft, { userId: MODERATOR, claims: MODERATE })).status]).toEqual([404, 404]);
  const machine = { userId: STRANGER, claims: { scope: 'content:write:any' } };
  for (const asked of [{ visibility: 'public' }, { visibility: 'unlisted' }, { publishAt: inDays(1) }])
    expectProblem(await edit(draft, asked, machine), 403, 'user-blocked');
  expect((await edit(draft, { name: 'Pan' }, machine)).status).toBe(200);
  expect(failureOf(await apiCommand(service.env, 'users', 'unblock', String(userId), '--show'))).toBe('');
  expect([await stranger(), (await get(draft, { userId })).body.visibility]).toEqual([200, 'draft']);
});
