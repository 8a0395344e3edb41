import { describe, expect, it } from '@jest/globals';
import type { JWTPayload } from 'jose';
import { png } from '../support/database/images.ts';
import type { ApiResponse } from '../support/http/client.ts';
import { READS_OF_MANY, REQUESTS_OF_AN_ITEM, WRITES, type EndpointRequest } from '../support/http/endpoint-requests.ts';
import { expectProblem } from '../support/http/problems.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';
import { apiCommand, failureOf } from '../support/processes/command.ts';
import { USERS } from '../support/processes/environment.ts';
import { startService } from '../support/processes/service.ts';

// The endpoints are those of the router, so that one which is added is asked at once.

const service = forAllTests(() => startService());

const CREATOR = USERS.ada;
const STRANGER = USERS.boris;
const MODERATOR = USERS['Chloé Dubois'];
const WRITE_ANY = 'content:write:any';
const MODERATE = 'content:moderate';

type Who = { userId: number; scope?: string };
const STRANGERS: Who[] = [{ userId: STRANGER }, { userId: STRANGER, scope: WRITE_ANY }];
const EVERYBODY: Who[] = [...STRANGERS, { userId: CREATOR }, { userId: MODERATOR, scope: MODERATE }];

async function ask(
  { method, path, body }: EndpointRequest,
  id: number,
  who: Who,
  { headers = {}, query = '' }: { headers?: Record<string, string>; query?: string } = {},
): Promise<ApiResponse> {
  const claims: JWTPayload = who.scope === undefined ? {} : { scope: who.scope };
  return service.client.request(method, `${path(id)}${query}`, {
    token: await tokenOf(who.userId, claims),
    ...(body && { body: JSON.stringify('creatorId' in body ? { ...body, creatorId: who.userId } : body) }),
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
  });
}

const moderate = (method: string, id: number, body?: object) =>
  service.client.send(method, `/api/content/${id}/hidden`, body, { sub: String(MODERATOR), scope: MODERATE }, { prefer: 'wait=10' });

async function upload(fields: Record<string, unknown> = {}): Promise<number> {
  return service.client.upload({ thumbnail: png().toString('base64'), ...fields }, CREATOR);
}

async function uploadHidden(fields: Record<string, unknown> = {}): Promise<number> {
  const id = await upload(fields);
  expect((await moderate('PUT', id, { reason: 'spam' })).status).toBe(204);
  return id;
}

async function uploadDeleted(fields: Record<string, unknown> = {}): Promise<number> {
  const id = await upload(fields);
  expect((await service.client.send('DELETE', `/api/content/${id}`, undefined, CREATOR)).status).toBe(204);
  return id;
}

async function uploadUnpublished(visibility: string, fields: Record<string, unknown> = {}): Promise<{ id: number; key?: string }> {
  const { body } = await service.client.tryUpload({ thumbnail: png().toString('base64'), visibility, ...fields }, CREATOR);
  return { id: body.content_id, key: body.key };
}

async function uploadForReview(fields: Record<string, unknown> = {}): Promise<{ id: number; key?: string }> {
  const { id } = await uploadUnpublished('draft', fields);
  await service.database.query(`update unpublished_content set kind = 'review' where content_id = $1`, [id]);
  return { id };
}

/** Of each kind of item that its creator has not published. */
const UNPUBLISHED: Record<string, (fields?: Record<string, unknown>) => Promise<{ id: number; key?: string }>> = {
  draft: (fields) => uploadUnpublished('draft', fields),
  'scheduled draft': (fields) => uploadUnpublished('draft', { ...fields, publishAt: '2999-01-01' }),
  unlisted: (fields) => uploadUnpublished('unlisted', fields),
  review: uploadForReview,
};

/** The id of no item, which an item had that was purged since. */
async function purgedId(): Promise<number> {
  const id = await upload();
  await service.database.query('delete from content where content_id = $1', [id]);
  return id;
}

/** What a client can tell two responses apart by. */
function comparable({ status, headers, body, text }: ApiResponse, id: number): object {
  const { requestId: _, instance, ...rest } = body ?? {};
  const shown = [...headers].filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name));
  return { status, headers: shown, instance: instance?.replace(String(id), 'ID'), rest, isEmpty: text === '' };
}

const TAGS: Record<string, string>[] = [{}, { 'if-none-match': '*', 'if-match': '*' }];

const notFound = ({ needsScope }: EndpointRequest, { scope }: Who): number => (needsScope && scope !== MODERATE ? 403 : 404);

/** What creator and moderators may do with a hidden item; everything else is 404 for them too. */
const KNOWN_TO_CREATOR: Record<string, number> = {
  'GET /api/content/{id}': 200,
  'HEAD /api/content/{id}': 200,
  'GET /api/content/{id}/thumbnail': 200,
  'HEAD /api/content/{id}/thumbnail': 200,
  'PATCH /api/content/{id}': 403,
  'DELETE /api/content/{id}': 204,
  'PUT /api/content/{id}/hidden': 403,
  'DELETE /api/content/{id}/hidden': 403,
  'PUT /api/content/{id}/review': 403,
};
const KNOWN_TO_MODERATORS: Record<string, number> = {
  'GET /api/content/{id}': 200,
  'HEAD /api/content/{id}': 200,
  'GET /api/content/{id}/thumbnail': 200,
  'HEAD /api/content/{id}/thumbnail': 200,
  'PUT /api/content/{id}/hidden': 204,
  'DELETE /api/content/{id}/hidden': 204,
  'PUT /api/content/{id}/review': 409,
};

const READS = { 'GET /api/content/{id}': 200, 'HEAD /api/content/{id}': 200, 'GET /api/content/{id}/thumbnail': 200, 'HEAD /api/content/{id}/thumbnail': 200 }; // prettier-ignore
/** What somebody with the key may do with an unlisted item. */
const KNOWN_WITH_KEY: Record<string, number> = {
  ...READS,
  'GET /api/content/{id}/rating': 200,
  'HEAD /api/content/{id}/rating': 200,
  'PUT /api/content/{id}/rating': 204,
  'DELETE /api/content/{id}/rating': 204,
  'POST /api/content/{id}/downloads': 204,
};
const OF_CREATOR: Record<string, number> = { ...READS, 'PATCH /api/content/{id}': 200, 'DELETE /api/content/{id}': 204 };
const FORBIDDEN: Record<string, number> = { 'PUT /api/content/{id}/hidden': 403, 'DELETE /api/content/{id}/hidden': 403, 'PUT /api/content/{id}/review': 403 }; // prettier-ignore
/** What a token that writes for others may do with an item that is not published; it reads none. */
const KNOWN_TO_WRITERS = (kind: string): Record<string, number> => ({
  'PATCH /api/content/{id}': 200,
  'DELETE /api/content/{id}': 204,
  'POST /api/content/{id}/key': kind === 'unlisted' ? 200 : 409,
});
/** What its creator may do with an item that is not published, and moderators; everything else is 404 for them too. */
const KNOWN_UNPUBLISHED: Record<string, { creator: Record<string, number>; moderator: Record<string, number> }> = {
  draft: { creator: { ...OF_CREATOR, ...FORBIDDEN, 'POST /api/content/{id}/key': 409 }, moderator: {} },
  'scheduled draft': { creator: { ...OF_CREATOR, ...FORBIDDEN, 'POST /api/content/{id}/key': 409 }, moderator: {} },
  unlisted: {
    creator: { ...OF_CREATOR, ...FORBIDDEN, 'POST /api/content/{id}/key': 200 },
    moderator: { 'PUT /api/content/{id}/hidden': 204, 'DELETE /api/content/{id}/hidden': 204 },
  },
  review: {
    creator: { ...OF_CREATOR, ...FORBIDDEN, 'POST /api/content/{id}/key': 409 },
    moderator: {
      ...READS,
      'PUT /api/content/{id}/hidden': 204,
      'DELETE /api/content/{id}/hidden': 204,
      'PUT /api/content/{id}/review': 204,
    },
  },
};

const strangersTo = (kind: string, request: string): Who[] =>
  STRANGERS.filter(({ scope }) => scope !== WRITE_ANY || !(request in KNOWN_TO_WRITERS(kind)));

describe.each(REQUESTS_OF_AN_ITEM.map((request) => [request.name, request] as const))('%s', (name, request) => {
  it.each([
    ['hidden', uploadHidden],
    ['deleted', uploadDeleted],
  ])('does not tell a stranger an item that is %s from an id without an item', async (_state, create) => {
    const [id, gone] = [await create(), await purgedId()];
    for (const who of STRANGERS)
      for (const headers of TAGS) {
        const response = await ask(request, id, who, { headers });
        expect(response.status).toBe(notFound(request, who));
        expect(comparable(response, id)).toEqual(comparable(await ask(request, gone, who, { headers }), gone));
      }
  });

  it('knows no deleted item, whoever asks', async () => {
    const id = await uploadDeleted();
    for (const who of EVERYBODY)
      expect({ who, status: (await ask(request, id, who)).status }).toEqual({ who, status: notFound(request, who) });
  });

  it.each(Object.entries(UNPUBLISHED))('does not tell a stranger an item that is %s from an id without an item', async (kind, create) => {
    const [{ id }, gone] = [await create(), await purgedId()];
    for (const who of strangersTo(kind, name))
      for (const query of ['', `?key=${'0'.repeat(32)}`])
        for (const headers of TAGS) {
          const response = await ask(request, id, who, { headers, query });
          expect(response.status).toBe(notFound(request, who));
          expect(comparable(response, id)).toEqual(comparable(await ask(request, gone, who, { headers, query }), gone));
        }
  });

  it.each(Object.entries(UNPUBLISHED))('knows an item that is %s for its creator, moderators, who writes for others and who has its key, as they need it', async (kind, create) => {
    const known = KNOWN_UNPUBLISHED[kind]!;
    const [ofCreator, ofModerator, { id, key }] = [await create(), await create(), await create()];
    const status = async (item: number, who: Who, query = ''): Promise<number> => (await ask(request, item, who, { query })).status;
    expect(await status(ofCreator.id, { userId: CREATOR })).toBe(known.creator[name] ?? 404);
    const moderator = { userId: MODERATOR, scope: MODERATE };
    expect(await status(ofModerator.id, moderator)).toBe(known.moderator[name] ?? 404);
    const writer = { userId: STRANGER, scope: WRITE_ANY };
    const { id: ofWriter } = await create();
    expect(await status(ofWriter, writer)).toBe(KNOWN_TO_WRITERS(kind)[name] ?? notFound(request, writer));
    if (key === undefined) return;
    for (const who of strangersTo(kind, name))
      expect(await status(id, who, `?key=${key}`)).toBe(KNOWN_WITH_KEY[name] ?? notFound(request, who));
    await moderate('PUT', id, { reason: 'spam' });
    for (const who of STRANGERS) expect(await status(id, who, `?key=${key}`)).toBe(notFound(request, who));
  }); // prettier-ignore

  it('is 404 for a hidden item for its creator and moderators, unless they need it', async () => {
    const [ofCreator, ofModerator] = [await uploadHidden(), await uploadHidden()];
    expect((await ask(request, ofCreator, { userId: CREATOR })).status).toBe(KNOWN_TO_CREATOR[name] ?? 404);
    expect((await ask(request, ofModerator, { userId: MODERATOR, scope: MODERATE })).status).toBe(KNOWN_TO_MODERATORS[name] ?? 404);
  });
});

describe('a list, or whatever else shows several items', () => {
  const WORD = 'quokkarama';
  const QUERY = `?prompt=${WORD}&size=20`;
  const shown = async (id: number, who: Who): Promise<string[]> => {
    const names: string[] = [];
    for (const request of READS_OF_MANY) if ((await ask(request, id, who, { query: QUERY })).text.includes(WORD)) names.push(request.name);
    return names;
  };

  it('shows an item to strangers only while it is neither hidden nor deleted', async () => {
    const other = await upload({ name: 'other', tags: ['pouch'] });
    const id = await upload({ name: `The ${WORD}`, tags: ['pouch', WORD] });
    await service.indexed();
    const everywhere = ['GET /api/content', 'GET /api/content/facets', 'GET /api/content/suggest', 'GET /api/content/{id}/similar'];
    expect((await shown(other, { userId: STRANGER })).toSorted()).toEqual(everywhere);
    expect((await moderate('PUT', id, { reason: 'spam' })).status).toBe(204);
    for (const who of STRANGERS) expect(await shown(other, who)).toEqual([]);
    expect((await moderate('DELETE', id)).status).toBe(204);
    expect((await shown(other, { userId: STRANGER })).toSorted()).toEqual(everywhere);
    expect((await service.client.send('DELETE', `/api/content/${id}`, undefined, CREATOR)).status).toBe(204);
    await service.indexed();
    for (const who of EVERYBODY) expect(await shown(other, who)).toEqual([]);
  });
});

describe('a list, or whatever else shows several items,', () => {
  const WORD = 'numbatorium';
  const QUERY = `?prompt=${WORD}&size=200&include=visibility`;
  const shown = async (id: number, who: Who, query = QUERY): Promise<string[]> => {
    const names: string[] = [];
    for (const request of READS_OF_MANY) if ((await ask(request, id, who, { query })).text.includes(WORD)) names.push(request.name);
    return names.toSorted();
  };

  it.each(Object.entries(UNPUBLISHED))('shows an item that is %s in no other list than those that are for it', async (kind, create) => {
    const other = await upload({ name: 'another', tags: ['termites'] });
    const { id, key } = await create({ name: `The ${WORD}`, tags: ['termites', WORD] });
    await service.indexed();
    for (const who of STRANGERS) expect(await shown(other, who, `${QUERY}&key=${key ?? '0'.repeat(32)}`)).toEqual([]);
    const OWN = 'GET /api/users/me/content';
    expect(await shown(other, { userId: CREATOR })).toEqual([OWN]);
    const moderator = { userId: MODERATOR, scope: MODERATE };
    expect(await shown(other, moderator)).toEqual([]);
    const queue = kind === 'review' ? ['GET /api/content/hidden'] : [];
    expect(await shown(other, moderator, `${QUERY}&kind=review`)).toEqual(queue);
    expect(await shown(other, { userId: CREATOR }, `${QUERY}&kind=review`)).toEqual([...queue, OWN]);
    expect(await shown(other, { userId: STRANGER }, `${QUERY}&kind=review`)).toEqual([]);
    await service.client.send('DELETE', `/api/content/${id}`, undefined, CREATOR);
  });
});

describe('a blocked user', () => {
  const BLOCKED: Who = { userId: STRANGER, scope: `${MODERATE} ${WRITE_ANY}` };

  it('is 403 for every endpoint that writes, with whatever scopes', async () => {
    const id = await service.client.upload({}, STRANGER);
    expect(failureOf(await apiCommand(service.env, 'users', 'block', String(STRANGER), '--reason', 'spam'))).toBe('');
    await until('the block holds', async () => (await service.client.tryUpload({}, STRANGER)).status === 403);
    for (const request of WRITES) expectProblem(await ask(request, id, BLOCKED), 403, 'user-blocked');
    expect(failureOf(await apiCommand(service.env, 'users', 'unblock', String(STRANGER)))).toBe('');
  });
});
