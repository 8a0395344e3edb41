import { parseId } from '@ugc/items/changes/get-content';
import { Problem } from '@ugc/items/problems/problem';
import { noOwnUser, noSuchCreator, OwnUser, readOwnUser, unknownUser } from '@ugc/items/people/token-users';
import { z } from 'zod';
import type { Limits } from '../env.ts';
import { Creator, readCreator } from '../search/creator.ts';
import { OwnPage, toPage } from '../search/page.ts';
import { DEFAULT_PAGE_SIZE, fields, include, pageParameters, type ListParameters } from '../search/parameters.ts';
import { endpoint, type Call } from './endpoint.ts';
import { EXAMPLE_ITEM } from './items.ts';
import { respondWithheld } from './respond-withheld.ts';
import { searchFor } from './search.ts';

const EXAMPLE = { userId: 7, username: 'Ada Lovelace', credential: 'https://issuer.example.com/|auth0|5f7c8ec7c33c6c004bbafe82' };

/** A client of an identity provider learns here which `creatorId` its uploads must have. */
const SHARED = { path: '/api/users/me', responses: { 200: { description: 'The user.', schema: OwnUser, example: EXAMPLE } } };

function getOwnUser() {
  return endpoint({
    ...SHARED,
    method: 'get',
    cost: 'read',
    summary: 'Get the user of the token',
    errors: [noOwnUser()],
    async handle({ database, tokenUsers }, { ctx, user }) {
      ctx.body = await readOwnUser(database, await tokenUsers.find(user));
    },
  });
}

function ensureOwnUser() {
  return endpoint({
    ...SHARED,
    method: 'put',
    cost: 'write',
    summary: 'Get the user of the token, and create it if the service is configured to create users',
    errors: [unknownUser()],
    async handle({ database, tokenUsers }, { ctx, user }) {
      ctx.body = await readOwnUser(database, await tokenUsers.require(user)).catch(forbidUnknown);
    },
  });
}

const EXAMPLE_DRAFT = { ...EXAMPLE_ITEM, visibility: 'draft' as const, publishAt: '2026-12-24T18:00:00.000+00:00' };

type OwnQuery = Pick<ListParameters, 'page' | 'size' | 'include' | 'fields'>;

function listOwnContent(limits: Limits) {
  return endpoint({
    method: 'get',
    path: '/api/users/me/content',
    cost: 'list',
    summary: 'List all items of the user of the token, also those that nobody else sees, the last stored first',
    query: { schema: z.object({ ...pageParameters(limits), include, fields }), invalid: 'size=0' },
    responses: {
      200: {
        description: 'The page.',
        schema: OwnPage,
        example: toPage([EXAMPLE_DRAFT], { number: 0, size: DEFAULT_PAGE_SIZE, total: 1 }),
      },
    },
    async handle(deps, call: Call<OwnQuery, unknown>) {
      await respondWithheld(deps, call, { kind: 'own', order: 'newest', isOfAll: false });
    },
  });
}

const EXAMPLE_CREATOR = {
  userId: EXAMPLE.userId,
  username: EXAMPLE.username,
  itemsCount: 12,
  downloadsCount: 3_400,
  firstCreatedAt: '2026-02-01T08:00:00.000+00:00',
};

/** Asked of the index, as a list of the creator's items is: a filter, which one index answers, and a sum over what it finds. */
function getCreator() {
  return endpoint({
    method: 'get',
    path: '/api/users/{userId}',
    cost: 'list',
    summary: 'Get the name of a creator, and the number, the downloads and the begin of the items that lists show',
    responses: { 200: { description: 'The creator.', schema: Creator, example: EXAMPLE_CREATOR } },
    errors: [noSuchCreator()],
    async handle(deps, call) {
      const creatorId = parseId(String(call.ctx.params['userId']), noSuchCreator);
      call.ctx.body = await searchFor(deps, call, (caller) => readCreator(deps, creatorId, caller));
    },
  });
}

// The id in a token may be that of no user, which is 403 for a write.
function forbidUnknown(error: unknown): never {
  throw error instanceof Problem && error.status === 404 ? unknownUser() : error;
}

export const users = { getOwnUser, ensureOwnUser, listOwnContent, getCreator };
