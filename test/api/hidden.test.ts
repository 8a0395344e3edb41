import { describe, expect, it } from '@jest/globals';
import type { JWTPayload } from 'jose';
import { hideContent } from '@ugc/items/changes/hidden-content';
import { SERVICE_TABLES } from '@ugc/api/commands/postgres-programs';
import { withdrawItem } from '@ugc/items/changes/unpublished-content';
import { blockUser, unblockUser } from '@ugc/items/people/block-user';
import { DEAD_ROWS } from '@ugc/items/people/erasure-receipt';
import { linkUser } from '@ugc/items/people/link-user';
import { MAX_WAITING_JOBS } from '@ugc/api/indexing/relay';
import { purge } from '@ugc/indexer/purge/purge';
import { readIdentity } from '@ugc/shared/contracts/database-identity';
import { pauseIndexing, resumeIndexing } from '@ugc/shared/indices/index-control';
import { acknowledge } from '@ugc/shared/outbox/acknowledge';
import { claimDue } from '@ugc/shared/outbox/claim';
import type { Database } from '@ugc/shared/postgres/postgres';
import { createHash, randomUUID } from 'node:crypto';
import { png } from '../support/database/images.ts';
import { insertItems } from '../support/database/insert-items.ts';
import { countLockWaits } from '../support/database/sessions.ts';
import { isInOutbox } from '../support/database/outbox.ts';
import type { ApiResponse } from '../support/http/client.ts';
import { expectProblem } from '../support/http/problems.ts';
import { openRequests, readAnswer } from '../support/http/raw-http.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';
import { startAnotherApi, startApiAlone } from '../support/processes/api-alone.ts';
import { apiCommand, failureOf, startApiCommand } from '../support/processes/command.ts';
import { createEnvironment, USERS } from '../support/processes/environment.ts';
import { startHalfService, openStores } from '../support/processes/service.ts';
import { withRedis } from '../support/servers/redis.ts';

const service = forAllTests(async () => {
  const started = await startHalfService(await createEnvironment({ ITEM_MAX_BYTES: '900000', PAGE_MAX_BYTES: '1048576' }));
  await until('lists return 200', async () => (await started.client.list()).status === 200);
  return started;
});

const CREATOR = USERS.ada;
const STRANGER = USERS.boris;
const MODERATE = { scope: 'content:moderate' };
const MODERATOR = USERS['Chloé Dubois'];
const REASON = 'The picture is that of another site.';
const WAIT = { prefer: 'wait=10' };

type Request = {
  body?: unknown;
  userId?: number;
  claims?: JWTPayload;
  headers?: Record<string, string>;
  client?: Pick<typeof service, 'client'>['client'];
};

async function send(
  method: string,
  path: string,
  { body, userId = MODERATOR, claims = {}, headers = {}, client = service.client }: Request = {},
) {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  return client.request(method, path, {
    token: await tokenOf(userId, claims),
    ...json,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
  });
}

const hide = (id: number, headers: Record<string, string> = WAIT, reason: unknown = REASON): Promise<ApiResponse> =>
  send('PUT', `/api/content/${id}/hidden`, { body: { reason }, claims: MODERATE, headers });
const show = (id: number): Promise<ApiResponse> => send('DELETE', `/api/content/${id}/hidden`, { claims: MODERATE, headers: WAIT });

async function uploadHidden(fields: Record<string, unknown> = {}): Promise<number> {
  const id = await service.client.upload(fields, CREATOR);
  expect((await hide(id)).status).toBe(204);
  return id;
}

const indexed = (id: number) => until('the item is indexed', async () => !(await isInOutbox(service.database, `content_id = ${id}`)));

describe('hiding and showing', () => {
  it('is 403 without the scope content:moderate, also for the creator and with content:write:any', async () => {
    const id = await service.client.upload({}, CREATOR);
    for (const [userId, scope] of [[CREATOR, ''], [STRANGER, 'content:write:any'], [STRANGER, 'content:moderate:more content']] as const) {
      const request = { userId, claims: { scope }, body: { reason: REASON } };
      expect(expectProblem(await send('PUT', `/api/content/${id}/hidden`, request), 403).detail).toContain('content:moderate');
      expectProblem(await send('DELETE', `/api/content/${id}/hidden`, { userId, claims: { scope } }), 403);
    } // prettier-ignore
    expect((await service.client.get(`/api/content/${id}`, STRANGER)).status).toBe(200);
  });

  it.each([undefined, '', ' \u200b', 'x'.repeat(1_001), 7, 'a\0b'])('needs a reason of 1 to 1,000 characters that show something: %j', async (reason) => {
    expectProblem(await send('PUT', `/api/content/1/hidden`, { body: { reason }, claims: MODERATE }), 400);
  }); // prettier-ignore

  it('is 404 for an id without an item and for a deleted item', async () => {
    const id = await uploadHidden();
    await send('DELETE', `/api/content/${id}`, { userId: CREATOR });
    for (const gone of [id, 999_999]) for (const response of [await hide(gone), await show(gone)]) expectProblem(response, 404);
  });

  it('again changes the reason and not the revision', async () => {
    const id = await uploadHidden();
    const revision = () => service.database.query('select revision from content where content_id = $1', [id]);
    const before = [await revision(), (await send('GET', `/api/content/${id}`, { userId: CREATOR })).body.hidden.since];
    const again = await hide(id, WAIT, 'Another reason');
    expect([again.status, again.headers.get('preference-applied')]).toEqual([204, 'wait=10']);
    const { hidden } = (await send('GET', `/api/content/${id}`, { userId: CREATOR })).body;
    expect([await revision(), hidden.since]).toEqual(before);
    expect(hidden.reason).toBe('Another reason');
  });

  it('an item is shown again with texts, ratings, counters, dates and edits as before', async () => {
    const fields = { name: 'Kettle', data: '{}', tags: ['kitchen'], thumbnail: png().toString('base64') };
    const id = await service.client.upload(fields, CREATOR);
    await send('PUT', `/api/content/${id}/rating`, { userId: STRANGER, body: { score: 4 } });
    await send('POST', `/api/content/${id}/downloads`, { userId: STRANGER });
    await send('PATCH', `/api/content/${id}`, { userId: CREATOR, body: { description: 'boils' } });
    const path = `/api/content/${id}?include=tags`;
    const before = await service.client.get(path);
    await hide(id);
    expect((await show(id)).status).toBe(204);
    const after = await service.client.get(path);
    expect(after.body).toEqual(before.body);
    expect(after.headers.get('etag')?.split('.')[0]).toBe(before.headers.get('etag')?.split('.')[0]);
    expect((await service.client.list({ prompt: 'kettle', include: 'tags' })).body.content).toEqual([before.body]);
    expect((await service.client.get(`/api/content/${id}/thumbnail`)).status).toBe(200);
    expect((await service.database.query('select 1 from rating where content_id = $1', [id])).length).toBe(1);
  });

  it('npx pnpm items hides an item, changes the reason and shows it again, as a moderator does', async () => {
    const id = await service.client.upload({}, CREATOR);
    const items = (...args: string[]) => apiCommand(service.env, 'items', ...args);
    const reason = async () => (await send('GET', `/api/content/${id}`, { userId: CREATOR })).body.hidden?.reason as string | undefined;
    expect(await items('hide', String(id), '--reason', 'spam')).toMatchObject({ code: 0, stdout: `Item ${id} is hidden.\n` });
    expectProblem(await service.client.get(`/api/content/${id}`, STRANGER), 404);
    expect((await items('hide', String(id), '--reason', 'a scam', '--json')).json).toEqual([
      { contentId: id, hidden: true, hasChanged: false },
    ]);
    expect(await reason()).toBe('a scam');
    expect((await items('show', String(id))).stdout).toBe(`Item ${id} is shown again.\n`);
    expect((await items('show', String(id))).stdout).toBe(`Item ${id} was not hidden.\n`);
    expect(await reason()).toBeUndefined();
    for (const args of [
      ['hide', '999999', '--reason', 'spam'],
      ['show', '999999'],
    ])
      expect(await items(...args)).toMatchObject({ code: 1, stderr: 'There is no item 999999.\n' });
    for (const args of [
      ['hide', '0x1', '--reason', 'spam'],
      ['hide', '1'],
      ['hide', '1', '--reason', ' '],
    ])
      expect((await items(...args)).code).toBe(2);
  });

  it('showing an item that is not hidden changes nothing', async () => {
    const id = await service.client.upload({}, CREATOR);
    const { headers } = await service.client.get(`/api/content/${id}`);
    expect((await show(id)).status).toBe(204);
    expect((await service.client.get(`/api/content/${id}`)).headers.get('etag')).toBe(headers.get('etag'));
  });

  it('is one line of the log each, with the item and the moderator and without the reason', async () => {
    const id = await uploadHidden();
    await hide(id);
    await show(id);
    await show(id);
    const lines = service.logged.filter((line) => line.includes(`"contentId":${id},"moderator"`)).map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { contentId: id, moderator: String(MODERATOR), msg: 'a moderator has hidden an item' },
      { contentId: id, moderator: String(MODERATOR), msg: 'a moderator has shown a hidden item again' },
    ]);
    expect(JSON.stringify(lines)).not.toContain(REASON);
  });
});

describe('a hidden item', () => {
  it('is read with the reason, and its thumbnail, by its creator and by moderators, and a copy is never confirmed', async () => {
    const picture = png();
    const id = await service.client.upload({ name: 'Kettle', data: 'boils', tags: ['a'], thumbnail: picture.toString('base64') }, CREATOR);
    const { body, headers } = await service.client.get(`/api/content/${id}?include=tags`);
    await hide(id);
    const known = { 'if-none-match': `${headers.get('etag')}, *, "t0"` };
    for (const reader of [{ userId: CREATOR }, { claims: MODERATE }]) {
      const item = await send('GET', `/api/content/${id}?include=tags`, { ...reader, headers: known });
      expect(item).toMatchObject({ status: 200, body: { ...body, hidden: { since: expect.stringMatching(/\+00:00$/), reason: REASON } } });
      expect([item.headers.get('etag'), item.headers.get('cache-control')]).toEqual([null, 'private, no-store']);
      const thumbnail = await send('GET', `/api/content/${id}/thumbnail`, { ...reader, headers: known });
      expect([thumbnail.status, thumbnail.headers.get('content-type'), thumbnail.headers.get('etag')]).toEqual([200, 'image/png', null]);
    }
  });

  it('is not edited: 403 with the cause for its creator, 404 for a moderator', async () => {
    const id = await uploadHidden({ name: 'Kettle' });
    const edit = { body: { name: 'Pot' } };
    expect(expectProblem(await send('PATCH', `/api/content/${id}`, { ...edit, userId: CREATOR }), 403).detail).toContain('hidden');
    expectProblem(await send('PATCH', `/api/content/${id}`, { ...edit, claims: MODERATE }), 404);
    expect((await send('GET', `/api/content/${id}`, { userId: CREATOR })).body.name).toBe('Kettle');
  });

  it('is deleted by its creator alone, like any other item', async () => {
    const id = await uploadHidden({ data: 'secret' });
    expectProblem(await send('DELETE', `/api/content/${id}`, { claims: { scope: 'content:moderate content:write:any' } }), 404);
    expect((await send('DELETE', `/api/content/${id}`, { userId: CREATOR })).status).toBe(204);
    expectProblem(await send('GET', `/api/content/${id}`, { userId: CREATOR }), 404);
    const rows = await service.database.query(
      `select data, deleted_at <> 'infinity' as deleted, exists (select from hidden_content where content_id = $1) as hidden
       from content where content_id = $1`,
      [id],
    );
    expect(rows).toEqual([{ data: '', deleted: true, hidden: false }]);
    expectProblem(await show(id), 404);
  });

  it('gets no rating and no edit that waits for its row while it is hidden', async () => {
    const id = await service.client.upload({}, CREATOR);
    const sent: Promise<ApiResponse>[] = [];
    await service.database.transaction(async (tx) => {
      await tx.query(`update content set deleted_at = 'infinity', revision = revision + 1 where content_id = $1`, [id]);
      await tx.query(`insert into hidden_content (content_id, creator_id, reason) values ($1, $2, 'x')`, [id, CREATOR]);
      sent.push(send('PUT', `/api/content/${id}/rating`, { userId: CREATOR, body: { score: 1 } }));
      sent.push(send('PATCH', `/api/content/${id}`, { userId: CREATOR, body: { name: 'new' } }));
      await until('both wait for the row', async () => (await countLockWaits(service.database)) === sent.length);
    });
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([404, 403]);
  });

  it('shows nothing in lists, totals, facets, suggestions, similar items and corrections, until it is shown again', async () => {
    const id = await service.client.upload({ name: 'Zirkelkasten quokkaphone', description: 'misty', tags: ['zirkeltag'] }, CREATOR);
    const other = await service.client.upload({ name: 'Kompass', description: 'misty', tags: ['zirkeltag'] }, CREATOR);
    await indexed(other);
    const response = await hide(id);
    expect(response.headers.get('preference-applied')).toBe('wait=10');
    const ids = async (parameters: Record<string, string>) =>
      (await service.client.list({ size: '100', ...parameters })).body.content.map(({ contentId }) => contentId);
    const facets = async () => (await service.client.get('/api/content/facets?tags=zirkeltag&tagPrefix=zirkel')).body;
    const everywhere = async () => [
      (await ids({})).includes(id),
      (await ids({ sort: 'name' })).includes(id),
      await ids({ prompt: 'quokkaphone', correct: 'false' }),
      await ids({ tags: 'zirkeltag', totals: 'true' }),
      await ids({ contentId: String(id) }),
      [(await facets()).totalElements, (await facets()).facets.tags.values[0].count],
      (await service.client.get('/api/content/suggest?prompt=quokkaphone')).body.completions,
      (await service.client.get(`/api/content/${other}/similar`)).body.content.map((item: { contentId: number }) => item.contentId),
    ];
    expect(await everywhere()).toEqual([false, false, [], [other], [], [1, 1], [], []]);
    await show(id);
    expect(await everywhere()).toEqual([true, true, [id], [id, other].toSorted((a, b) => b - a), [id], [2, 2], [expect.anything()], [id]]);
  });

  it('has the document of a deleted item in the index', async () => {
    const id = await uploadHidden({ name: 'Kettle', data: 'secret' });
    const { _source: document } = await service.elasticsearch.get({ index: service.alias, id: String(id) });
    expect(document).toEqual({ contentId: id, deleted: true });
  });

  it('stays hidden when its upload is repeated with the Idempotency-Key, which returns the first response', async () => {
    const upload = () => service.client.tryUpload({ name: 'Kettle', description: 'once' }, CREATOR, { 'idempotency-key': 'hidden' });
    const first = await upload();
    await hide(first.body.content_id);
    expect(await upload()).toMatchObject({ status: 201, body: first.body });
    expectProblem(await service.client.get(`/api/content/${first.body.content_id}`, STRANGER), 404);
  });

  it('is never purged, and its ratings stay', async () => {
    const id = await service.client.upload({}, CREATOR);
    await send('PUT', `/api/content/${id}/rating`, { userId: STRANGER, body: { score: 4 } });
    await hide(id);
    await until('the purge has run', () => purge(indexDeps(service)));
    expect((await service.database.query('select from rating where content_id = $1', [id])).length).toBe(1);
  });
});

describe('the list of hidden items', () => {
  const path = '/api/content/hidden';
  const idsOf = ({ body }: ApiResponse): number[] => body.content.map((item: { contentId: number }) => item.contentId);

  it('has the format of a list, and the newest hidden item first: all for moderators, for others their own', async () => {
    const own = await uploadHidden({ name: 'own' });
    const others = await service.client.upload({}, STRANGER);
    await hide(others);
    const all = await send('GET', `${path}?size=2`, { claims: MODERATE });
    expect(idsOf(all)).toEqual([others, own]);
    expect(Object.keys(all.body)).toEqual(Object.keys((await service.client.list({})).body));
    expect(all.body).toMatchObject({ size: 2, number: 0, first: true, last: false, numberOfElements: 2 });
    const one = await send('GET', `/api/content/${own}`, { userId: CREATOR });
    expect(all.body.content[1]).toEqual(one.body);
    const mine = await send('GET', `${path}?size=200`, { userId: CREATOR });
    expect([idsOf(mine)[0], idsOf(mine).includes(others), mine.body.totalElements]).toEqual([own, false, idsOf(mine).length]);
    expect(idsOf(await send('GET', `${path}?size=1&page=1`, { claims: MODERATE }))).toEqual([own]);
    const beyond = await send('GET', `${path}?page=2147483647&size=200`, { claims: MODERATE });
    expect(beyond).toMatchObject({ status: 200, body: { empty: true, totalElements: all.body.totalElements } });
    expect((await send('GET', path, { userId: 999 })).body.totalElements).toBe(0);
  });

  it('refuses a page above PAGE_MAX_BYTES and names `size`', async () => {
    await uploadHidden({ data: '\u0001'.repeat(100_000) });
    await uploadHidden({ data: '\u0001'.repeat(100_000) });
    const response = await send('GET', `${path}?size=2`, { claims: MODERATE });
    expect(expectProblem(response, 400).errors).toMatchObject([{ parameter: 'size' }]);
    expect((await send('GET', `${path}?size=1`, { claims: MODERATE })).status).toBe(200);
    expect((await send('GET', `${path}?size=2&fields=summary`, { claims: MODERATE })).status).toBe(200);
  });

  it('refuses a page whose descriptions are above PAGE_MAX_BYTES as JSON', async () => {
    const ids = await Promise.all(Array.from({ length: 18 }, () => uploadHidden({ description: '\u0001'.repeat(10_000) })));
    for (const fields of ['', '&fields=summary']) {
      const page = (size: number) => send('GET', `${path}?size=${size}${fields}`, { claims: MODERATE });
      expect(expectProblem(await page(ids.length), 400).errors).toMatchObject([{ parameter: 'size' }]);
      expect((await page(ids.length - 2)).status).toBe(200);
    }
  });

  it('has large items completely, which are rendered in a thread, and with `fields=summary` no `data`', async () => {
    const data = 'ä'.repeat(100_000);
    const ids = [await uploadHidden({ data, name: 'first' }), await uploadHidden({ data, name: 'second' })].toReversed();
    const { body } = await send('GET', `${path}?size=2`, { userId: CREATOR });
    const alone = await Promise.all(ids.map(async (id) => (await send('GET', `/api/content/${id}`, { userId: CREATOR })).body));
    expect(body.content).toEqual(alone);
    expect(body.content[0].data).toBe(data);
    const summary = await send('GET', `${path}?size=2&fields=summary`, { userId: CREATOR });
    const withPictures = await send('GET', `${path}?size=2&include=thumbnail&include=tags`, { userId: CREATOR });
    expect(withPictures.body.content).toMatchObject([{ hasThumbnail: false, tags: [] }, { hasThumbnail: false }]);
    const { content, ...rest } = body;
    expect(summary.body).toEqual({ ...rest, content: content.map(({ data: _, ...item }: { data: string }) => item) });
  });
});

describe('a blocked user', () => {
  const USER = USERS.boris;
  const users = async (...args: string[]) => {
    const result = await apiCommand(service.env, 'users', ...args, '--json');
    expect(failureOf(result)).toBe('');
    return result.json;
  };
  const statusOf = async (client: typeof service.client): Promise<number> => (await client.tryUpload({}, USER)).status;
  const untilStatus = (client: typeof service.client, status: number) =>
    until(`uploads are ${status}`, async () => (await statusOf(client)) === status);

  it('reads, and gets a 403 of its own for writes in every process although the token is remembered', async () => {
    const other = await startAnotherApi(service.env);
    const own = await service.client.upload({}, USER);
    const write = { creatorId: USER, name: 'x', description: '', version: 1, data: '' };
    await untilStatus(other.client, 201);
    expect(await users('block', String(USER), '--reason', 'spam')).toMatchObject([{ userId: USER, blocked: true }]);
    for (const client of [service.client, other.client]) {
      await untilStatus(client, 403);
      const response = await send('POST', '/content', { userId: USER, claims: MODERATE, body: write, client });
      expect(expectProblem(response, 403).detail).toContain('blocked');
      for (const read of [`/api/content/${own}`, '/api/content', '/api/users/me']) expect((await client.get(read, USER)).status).toBe(200);
      expect((await client.tryUpload({}, CREATOR)).status).toBe(201);
      const forUser = { claims: { scope: 'content:write:any' }, body: write, client };
      expect(expectProblem(await send('POST', '/content', forUser), 403).detail).toContain('blocked');
    }
    expect(await users('list')).toContainEqual(
      expect.objectContaining({ userId: USER, blocked: { since: expect.any(String), reason: 'spam' } }),
    );
    expect(await users('unblock', String(USER))).toEqual([{ userId: USER, wasBlocked: true }]);
    await untilStatus(service.client, 201);
    expect(await users('list')).not.toContainEqual(expect.objectContaining({ blocked: expect.anything() }));
    await other.stop();
  });

  it('gets the 403 for a write whose body began before the block', async () => {
    const own = await service.client.upload({ name: 'before' }, USER);
    const requests = openRequests(() => service.client.baseUrl);
    // The blanks arrive at once: the rest may then come a minute later.
    const blanks = ' '.repeat(1_500_000);
    const bodies = [
      ['POST', '/content', { creatorId: USER, name: 'x', description: '', version: 1, data: '' }],
      ['PATCH', `/api/content/${own}`, { name: 'after' }],
    ] as const;
    const begun = await Promise.all(
      bodies.map(async ([method, path, body]) => {
        const rest = JSON.stringify(body);
        const socket = await requests.begin(method, path, { token: await tokenOf(USER), length: blanks.length + rest.length });
        socket.write(blanks);
        return { socket, rest };
      }),
    );
    await blockUser(service.database, USER, undefined);
    await untilStatus(service.client, 403);
    for (const { socket, rest } of begun) {
      socket.write(rest);
      expect(await readAnswer(socket)).toMatchObject({ status: 403, body: expect.stringContaining('user-blocked') });
    }
    requests.destroy();
    expect((await service.client.get(`/api/content/${own}`)).body.name).toBe('before');
    await unblockUser(service.database, USER);
    await untilStatus(service.client, 201);
  });

  it('has its items hidden with --hide, and those that the block has hidden shown with --show', async () => {
    const upload = () => service.client.upload({}, USER);
    const [before, during, after] = [await upload(), await upload(), await upload()];
    await hide(before, WAIT, 'by a moderator');
    // As an import that has asked for the block before.
    const late = await service.database.transaction(async (tx) => {
      const insert = `insert into content (creator_id, name, description, data, version) values ($1, 'late', '', '', 1) returning content_id`;
      const [item] = await tx.query<{ contentId: number }>(insert, [USER]);
      const blocking = users('block', String(USER), '--hide');
      await until('it waits for the transaction', async () => (await countLockWaits(service.database)) === 1);
      return { id: item?.contentId, blocking };
    });
    await late.blocking;
    expect((await send('GET', `/api/content/${late.id}`, { userId: USER })).body.hidden.reason).toBe('The user is blocked.');
    expect((await send('GET', `/api/content/${during}`, { userId: USER })).body.hidden.reason).toBe('The user is blocked.');
    expectProblem(await service.client.get(`/api/content/${during}`, CREATOR), 404);
    // The block has hidden it already.
    await hide(after, WAIT, 'by a moderator');
    await users('unblock', String(USER), '--show');
    expect((await service.client.get(`/api/content/${during}`, CREATOR)).status).toBe(200);
    for (const id of [before, after]) {
      expectProblem(await service.client.get(`/api/content/${id}`, CREATOR), 404);
      expect((await send('GET', `/api/content/${id}`, { userId: USER })).body.hidden.reason).toBe('by a moderator');
    }
  });

  it('must exist: an unknown id is an error', async () => {
    expect((await apiCommand(service.env, 'users', 'block', '999')).stderr).toContain('There is no user 999.');
  });
});

it('users erase erases the others and exits with 1 if an id has no user, so that a mistyped one is noticed', async () => {
  const insert = `insert into users (username, credential) values ('mistyped', 'test|mistyped') returning user_id`;
  const [user] = await service.database.query<{ userId: number }>(insert);
  const { code, json } = await apiCommand(service.env, 'users', 'erase', '999', String(user?.userId), '--json');
  expect([code, json[0], json[1]]).toEqual([1, { userId: 999, erased: false }, expect.objectContaining({ userId: user?.userId })]);
});

describe('an erased user', () => {
  const eraseWith = (...args: string[]) => apiCommand(service.env, 'users', 'erase', ...args, '--json');
  const erase = async (id: number): Promise<any> => {
    const result = await eraseWith(String(id));
    expect(failureOf(result)).toBe('');
    return result.json[0];
  };

  /** The mark is in everything that the user has. */
  async function addUser(mark: string): Promise<number> {
    const insert = `insert into users (username, credential) values ($1, 'test|' || $1) returning user_id`;
    const [user] = await service.database.query<{ userId: number }>(insert, [mark]);
    return user?.userId ?? NaN;
  }

  async function tablesWith(text: string): Promise<string[]> {
    const found = await Promise.all(
      SERVICE_TABLES.map(async (table) => {
        const rows = await service.database.query(`select from ${table} t where t::text like '%' || $1 || '%' limit 1`, [text]);
        return rows.length > 0 ? [table] : [];
      }),
    );
    return found.flat();
  }

  const documentOf = async (id: number) => {
    const { docs } = await service.elasticsearch.mget({ index: service.alias, ids: [String(id)] });
    return (docs[0] as { _source?: unknown })._source;
  };
  const countOf = async (table: string, where: string, id: number) =>
    (await service.database.query(`select from ${table} where ${where} = $1`, [id])).length;

  it('leaves nothing in PostgreSQL and the index but tombstones of a reserved user, and the items of others as if never rated', async () => {
    const mark = 'zyxquarl';
    const user = await addUser(mark);
    const texts = { name: mark, description: mark, data: mark, tags: [mark], thumbnail: png().toString('base64') };
    const keyed = await service.client.tryUpload(texts, user, { 'idempotency-key': `${mark}-own` });
    const forUser = { ...texts, creatorId: user, version: 1 };
    const machine = { claims: { scope: 'content:write:any' }, headers: { 'idempotency-key': 'for-another' } };
    const byMachine = await send('POST', '/content', { ...machine, body: forUser });
    const own = keyed.body.content_id as number;
    const deleted = await service.client.upload(texts, user);
    await send('DELETE', `/api/content/${deleted}`, { userId: user });
    const hidden = await service.client.upload(texts, user);
    await hide(hidden, WAIT, mark);
    const [rejected, others, moderated, moderatedBefore] = [
      await service.client.upload(texts, user),
      await service.client.upload({ tags: ['rated-tag'] }, CREATOR),
      await service.client.upload({}, CREATOR),
      await service.client.upload({}, CREATOR),
    ];
    for (const [rater, item, score] of [[user, others, 1], [MODERATOR, others, 5]] as const)
      await send('PUT', `/api/content/${item}/rating`, { userId: rater, body: { score } }); // prettier-ignore
    await send('PUT', `/api/content/${moderated}/hidden`, { userId: user, claims: MODERATE, body: { reason: 'by a user' } });
    // As by a moderator whose account has no user yet.
    await hideContent(service.database, moderatedBefore, { moderator: `test|${mark}`, reason: 'by an account' });
    await service.database.query(`insert into index_dropped (content_id, revision, reason) select $1, 1, $2`, [own, mark]);
    await service.database.query(`insert into rename_progress (user_id) values ($1)`, [user]);
    await indexed(rejected);
    await service.database.query(
      `insert into index_outbox (content_id, revision, rejected_reason) select content_id, revision, $2 from content where content_id = $1`,
      [rejected, mark],
    );
    const present = await tablesWith(mark);
    expect(present).toEqual(['content', 'hidden_content', 'idempotency_key', 'index_dropped', 'index_outbox', 'users']);
    expect(DEAD_ROWS).toEqual(expect.arrayContaining(present));

    const receipt = await erase(user);
    expect(receipt).toMatchObject({
      userId: user,
      erased: true,
      credentialSha256: createHash('sha256').update(`test|${mark}`).digest('hex'),
      removed: { items: 4, ratings: 1, idempotencyKeys: 2, hidings: 2 },
      indices: [{ indexName: expect.stringContaining(service.alias), role: 'search' }],
    });
    expect(Date.parse(receipt.startedAt)).toBeLessThanOrEqual(Date.parse(receipt.completedAt));
    expect(await tablesWith(mark)).toEqual([]);
    const ids = [own, byMachine.body.content_id as number, deleted, hidden, rejected];
    for (const id of ids) {
      expectProblem(await service.client.get(`/api/content/${id}`), 404);
      expect(await documentOf(id)).toEqual({ contentId: id, deleted: true });
    }
    const left = `select creator_id, deleted_at < 'infinity' as deleted from content where content_id = any($1)`;
    expect(await service.database.query(left, [ids])).toEqual(ids.map(() => ({ creatorId: 0, deleted: true })));
    expect(await countOf('content_thumbnail', 'content_id', own)).toBe(0);
    for (const table of ['rating', 'rename_progress', 'idempotency_key', 'user_erasure', 'users']) expect(await countOf(table, 'user_id', user)).toBe(0);
    expect((await service.client.get(`/api/content/${others}`)).body.avgRating).toBe(5);
    const facets = async () => (await service.client.get('/api/content/facets?tags=rated-tag&minRating=5')).body.totalElements;
    await until('the facets follow', async () => (await facets()) === 1);
    const hiddenBy = 'select hidden_by from hidden_content where content_id = any($1)';
    expect(await service.database.query(hiddenBy, [[moderated, moderatedBefore]])).toEqual([{ hiddenBy: null }, { hiddenBy: null }]);
    for (const status of [(await service.client.tryUpload({}, user)).status, (await send('PUT', `/api/content/${others}/rating`, { userId: user, body: { score: 1 } })).status]) expect(status).toBe(403);
    expect((await apiCommand(service.env, 'users', 'list', '--json')).json).not.toContainEqual(expect.objectContaining({ userId: 0 }));
    expect((await eraseWith(String(user), '999')).json).toEqual([user, 999].map((userId) => ({ userId, erased: false })));
  }); // prettier-ignore

  it('has nothing left of what is uploaded and rated meanwhile, and each such request is stored before, or is a 403', async () => {
    const user = await addUser('meanwhile');
    const rated = await service.client.upload({}, CREATOR);
    const ids: number[] = [];
    const repeated = async (request: () => Promise<ApiResponse>, stored: number): Promise<void> => {
      for (let status = stored; status === stored;) {
        const response = await request();
        if (response.body?.content_id) ids.push(response.body.content_id);
        status = response.status;
      }
    };
    await service.client.upload({}, user);
    const erased = erase(user);
    const statusOfLast = await Promise.all([
      repeated(() => service.client.tryUpload({}, user), 201),
      repeated(() => send('PUT', `/api/content/${rated}/rating`, { userId: user, body: { score: 1 } }), 204),
      repeated(() => send('DELETE', `/api/content/${rated}/rating`, { userId: user }), 204),
    ]);
    expect(statusOfLast).toHaveLength(3);
    expect((await erased).removed.items).toBe(ids.length + 1);
    for (const id of ids) expectProblem(await service.client.get(`/api/content/${id}`), 404);
    expect(await countOf('rating', 'user_id', user)).toBe(0);
    expect((await service.client.get(`/api/content/${rated}`)).body.avgRating).toBe(0);
  });

  it('gets a 403 for an upload and a rating that wait for the row of the user while it is removed', async () => {
    const user = await addUser('waits');
    const id = await service.client.upload({}, CREATOR);
    const sent: Promise<ApiResponse>[] = [];
    await service.database.transaction(async (tx) => {
      await tx.query(`select from users where user_id = $1 for update`, [user]);
      sent.push(service.client.tryUpload({}, user), send('PUT', `/api/content/${id}/rating`, { userId: user, body: { score: 1 } }));
      await until('both wait for the row', async () => (await countLockWaits(service.database)) === sent.length);
      await tx.query('delete from users where user_id = $1', [user]);
    });
    for (const response of await Promise.all(sent)) expect(expectProblem(response, 403).detail).toContain('does not exist');
  });

  it('is removed from PostgreSQL while no index is written: 75 with what it waits for, and the same command continues', async () => {
    const user = await addUser('pausedquarl');
    await service.client.upload({ name: 'pausedquarl' }, user);
    await pauseIndexing(service.database);
    const waiting = await eraseWith(String(user), '--wait', '0.1');
    expect(waiting).toMatchObject({ code: 75, json: [], stderr: expect.stringMatching(/1 tombstones .*npx pnpm index:resume/) });
    expect(await tablesWith('pausedquarl')).toEqual([]);
    await resumeIndexing(service.database);
    expect(await erase(user)).toMatchObject({ userId: user, erased: true, removed: { items: 1 } });
  });

  it('is removed from an index that has a document nevertheless, and the receipt names indices that are not written', async () => {
    const user = await addUser('restored');
    const [kept, lost] = [await service.client.upload({}, user), await service.client.upload({}, user)];
    await indexed(kept);
    await indexed(lost);
    await service.database.query('delete from content where content_id = $1', [lost]);
    const forgotten = `${service.alias}-v1-20200101000000000`;
    const owner = await readIdentity(service.database);
    const mappings = { _meta: { version: 1, owner }, properties: { creatorId: { type: 'long' } } } as const;
    await service.elasticsearch.indices.create({ index: forgotten, mappings });
    await service.elasticsearch.index({ index: forgotten, document: { creatorId: user }, refresh: true });
    const { remains } = await erase(user);
    expect(await documentOf(lost)).toBeUndefined();
    expect(remains).toContainEqual({
      where: 'Elasticsearch',
      what: expect.stringMatching(`\\(1\\).*${forgotten}`),
      until: expect.any(String),
      command: `npx pnpm index:rebuild --remove ${forgotten}`,
    });
    await service.elasticsearch.indices.delete({ index: forgotten });
  });
});

describe('the receipt of an erasure', () => {
  async function addUser(name: string): Promise<number> {
    const insert = `insert into users (username, credential) values ($1, 'test|' || $1) returning user_id`;
    return (await service.database.query<{ userId: number }>(insert, [name]))[0]?.userId ?? NaN;
  }
  const receipts = (...args: string[]) => apiCommand(service.env, 'users', 'receipts', ...args);

  it('is printed again after its reader has gone, and says how long it is kept', async () => {
    const user = await addUser('receipt');
    const { process: erasing, result } = startApiCommand(service.env, 'users', 'erase', String(user));
    erasing.stdout?.destroy();
    expect(await result).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining(`npx pnpm users receipts ${user} prints`) });
    const { code, json } = await receipts(String(user), '--json');
    const [receipt] = json as { completedAt: string; credentialSha256: string; remains: object[] }[];
    const keptUntil = new Date(Date.parse(receipt?.completedAt ?? '') + 30 * 86_400_000).toISOString();
    expect([code, json]).toEqual([0, [expect.objectContaining({ userId: user, erased: true, removed: expect.any(Object) })]]);
    expect(receipt?.remains).toContainEqual(expect.objectContaining({ what: expect.stringContaining('SHA-256'), until: expect.stringContaining(keptUntil) }));
    expect((await receipts(String(user))).stdout).toContain(`User ${user} is erased`);
    expect((await receipts()).stdout).toContain([user, receipt?.credentialSha256, receipt?.completedAt, `kept until ${keptUntil}`].join('\t'));
    expect((await receipts('--json')).json).toContainEqual(receipt);
    const again = await apiCommand(service.env, 'users', 'erase', String(user));
    expect(again).toMatchObject({ code: 1, stdout: expect.stringContaining(`npx pnpm users receipts ${user} prints the receipt`) });
    expect(await receipts('999', String(user))).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no receipt of user 999.') });
  }); // prettier-ignore

  it('has the hash of each credential that stays blocked', async () => {
    const user = await addUser('linked');
    await blockUser(service.database, user, undefined);
    await linkUser(service.database, user, 'test|linked again');
    const { json } = await apiCommand(service.env, 'users', 'erase', String(user), '--json');
    const { remains, credentialSha256 } = json[0] as { remains: { what: string }[]; credentialSha256: string };
    const hashes = ['test|linked again', 'test|linked'].map((credential) => createHash('sha256').update(credential).digest('hex'));
    expect(credentialSha256).toBe(hashes[0]);
    const blocks = remains.filter(({ what }) => what.includes('of the block'));
    expect(blocks.map(({ what }) => what)).toEqual(hashes.map((hash) => expect.stringContaining(hash)));
  });

  it('names every table of the schema in which an erasure removes or changes rows', () => {
    /** What an erasure leaves in these is in the receipt, or is nothing of the user. */
    const WITHOUT_DEAD_ROWS = [
      'backup',
      'declared_field',
      'embedding_model',
      'erasure_receipt',
      'external_item',
      'index_ahead',
      'index_comparison',
      'index_control',
      'index_lock',
      'index_target',
      'schema_migration',
      'search_insight',
      'search_insight_user',
    ];
    expect([...DEAD_ROWS, ...WITHOUT_DEAD_ROWS].toSorted()).toEqual(SERVICE_TABLES.toSorted());
  });
});

describe('the order of hiding', () => {
  it('a hidden item leaves the job that it waits in, passes all jobs that wait, and is the next that an indexer takes', async () => {
    // There is no indexer, so jobs remain in the queue.
    const api = await startApiAlone();
    const keyOf = (state: string) => `${api.env['QUEUE_PREFIX']}:index-content:${state}`;
    const next = () => withRedis(api.env['REDIS_URL'], (redis) => redis.lindex(keyOf('wait'), -1));
    // The jobs of one creator with many changes, which others overtake, and an ordinary one.
    const queued = () =>
      withRedis(api.env['REDIS_URL'], async (redis) => (await redis.zcard(keyOf('prioritized'))) + (await redis.llen(keyOf('wait'))));
    const jobOf = async (id: number) =>
      (await api.database.query('select job_id from index_outbox where content_id = $1', [id]))[0]?.['jobId'];
    const ordinary = await api.client.upload({}, STRANGER);
    await until('the ordinary job waits', async () => (await next()) !== null && (await next()) === (await jobOf(ordinary)));
    const [id = 0] = await insertItems(api.database, { count: 26_000 });
    await until('the queue is full', async () => (await queued()) === MAX_WAITING_JOBS);
    const before = await jobOf(id);
    expect(before).not.toBeNull();
    const hidden = { client: api.client, body: { reason: REASON }, claims: MODERATE };
    expect((await send('PUT', `/api/content/${id}/hidden`, hidden)).status).toBe(204);
    await until('it is in another job', async () => ![null, before].includes(await jobOf(id)));
    // An indexer takes the last one.
    expect(await next()).toBe(await jobOf(id));
    await api.stop();
  });

  const claim = async (database: Database, hidden: boolean): Promise<[string, number[]]> => {
    const jobId = randomUUID();
    return [jobId, (await claimDue(database, jobId, { atMost: 9, hidden })).flatMap(({ contentIds }) => contentIds)];
  };

  it('a hidden item is claimed apart from all other changes, and keeps its place and a delay when it is retried', async () => {
    const { database, close } = openStores(await createEnvironment());
    const [id = 0, other = 0] = await insertItems(database, { count: 2 });
    expect((await claim(database, false))[1].toSorted()).toEqual([id, other]);
    await hideContent(database, id, { moderator: '3', reason: REASON });
    await database.query(`update index_outbox set job_id = null, claimed_at = null, due_at = now() - interval '9 days' where content_id = $1`, [other]);
    const [jobId, ids] = await claim(database, true);
    expect([ids, (await claim(database, false))[1]]).toEqual([[id], [other]]);
    await acknowledge(database, { jobId, generation: 0, results: [{ result: 'retried', contentId: id, reason: 'a test' }] });
    expect([(await claim(database, true))[1], (await claim(database, false))[1]]).toEqual([[], []]);
    await database.query(`update index_outbox set due_at = due_at - interval '20 s' where content_id = $1`, [id]);
    expect([(await claim(database, false))[1], (await claim(database, true))[1]]).toEqual([[], [id]]);
    await close();
  }); // prettier-ignore

  it.each(['unlisted', 'draft'] as const)('what lists still show of an item that is %s goes first when it is hidden', async (kind) => {
    const { database, close } = openStores(await createEnvironment());
    const [id = 0, other = 0] = await insertItems(database, { count: 2 });
    const planned = { kind, publishAt: null, mayPublish: false, wantsUnlisted: false };
    await database.transaction((tx) => withdrawItem(tx, { contentId: id, creatorId: CREATOR }, planned));
    expect((await claim(database, false))[1].toSorted()).toEqual([id, other]);
    const hideIt = () => hideContent(database, id, { moderator: '3', reason: REASON });
    expect(await hideIt()).toMatchObject({ hasChanged: true, isPending: true });
    expect((await claim(database, true))[1]).toEqual([id]);
    expect(await hideIt()).toMatchObject({ hasChanged: false, isPending: true });
    await close();
  });
});
