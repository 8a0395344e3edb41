import { headers, IF_NONE_MATCH, json, NOT_MODIFIED } from './parts.ts';

export const SERVICE = { name: 'Service', description: 'This document and the health of the service, without a token.' };

const upStores = { postgres: 'up', redis: 'up', elasticsearch: 'up' };
const ETAG_OF_DOCUMENT = { ETag: { description: 'Changes with the document.', example: '"0mJ0dWzZ1wVd7gqL6Yx0hQ"' } };
const EXAMPLE_DOCUMENT = { openapi: '3.1.0', info: { title: 'User-generated content', version: '1.0.0' }, paths: {} };

export const SERVICE_PATHS = {
  '/openapi.json': publicGet(
    'getOpenApiDocument',
    'Get this document',
    {
      200: {
        description: 'This document.',
        content: { 'application/json': { schema: { type: 'object', additionalProperties: true }, example: EXAMPLE_DOCUMENT } },
        headers: headers(ETAG_OF_DOCUMENT),
      },
      304: NOT_MODIFIED,
    },
    IF_NONE_MATCH,
  ),
  '/health/live': publicGet('getLiveness', 'Get whether the process is alive', {
    200: json('The process is alive; the stores are not checked.', 'Liveness', { status: 'live' }),
    503: json('The process makes no progress and exits so that the supervisor restarts it.', 'Liveness', { status: 'wedged' }),
  }),
  '/health/ready': publicGet('getReadiness', 'Get whether the stores are available', {
    200: json('Ready or degraded: uploads are accepted.', 'Readiness', { status: 'ready', stores: upStores }),
    503: json('PostgreSQL is unavailable, or its schema is older than this release, so uploads are not accepted.', 'Readiness', {
      status: 'unavailable',
      stores: { ...upStores, postgres: 'down' },
    }),
  }),
};

function publicGet(operationId: string, summary: string, responses: object, parameters: object[] = []) {
  return { get: { tags: [SERVICE.name], operationId, summary, security: [], ...(parameters.length > 0 && { parameters }), responses } };
}
