import { Problem } from '@ugc/items/problems/problem';
import { noOwnUser, OwnUser, readOwnUser, unknownUser } from '@ugc/items/people/token-users';
import { endpoint } from './endpoint.ts';

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

// The id in a token may be that of no user, which is 403 for a write.
function forbidUnknown(error: unknown): never {
  throw error instanceof Problem && error.status === 404 ? unknownUser() : error;
}

export const users = { getOwnUser, ensureOwnUser };
