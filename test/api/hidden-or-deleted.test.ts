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
};
const KNOWN_TO_MODERATORS: Record<string, number> = {
  'GET /api/content/{id}': 200,
  'HEAD /api/content/{id}': 200,
  'GET /api/content/{id}/thumbnail': 200,
  'HEAD /api/content/{id}/thumbnail': 200,
  'PUT /api/content/{id}/hidden': 204,
  'DELETE /api/content/{id}/hidden': 204,
};

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
