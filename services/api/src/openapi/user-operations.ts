import { NO_SUCH_USER } from '../users/own-user.ts';
import { errorResponses } from './errors.ts';
import { json } from './parts.ts';
import { WRITE_ERRORS } from './item-operations.ts';

export const USERS = {
  name: 'Users',
  description: 'A token that was issued by an identity provider does not contain the id of its user.',
};

const tags = [USERS.name];
const PATH = '/api/users/me';
const EXAMPLE_USER = { userId: 7, username: 'Ada Lovelace', credential: 'https://issuer.example.com/|auth0|5f7c8ec7c33c6c004bbafe82' };

const getOperation = {
  tags,
  operationId: 'getOwnUser',
  summary: 'Get the user of the token',
  responses: {
    200: json('The user.', 'User', EXAMPLE_USER),
    ...errorResponses(PATH, [404], { replaced: { 404: { description: 'The user does not exist.', detail: NO_SUCH_USER } } }),
  },
};

const ensureOperation = {
  tags,
  operationId: 'ensureOwnUser',
  summary: 'Get the user of the token, and create it if the service is configured to create users',
  responses: {
    200: json('The user.', 'User', EXAMPLE_USER),
    ...errorResponses(PATH, WRITE_ERRORS, {
      replaced: { 403: { description: 'There is no valid token, or the user does not exist and is not created.' } },
    }),
  },
};

export const USER_PATHS = { [PATH]: { get: getOperation, put: ensureOperation } };
