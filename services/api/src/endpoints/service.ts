import { z } from 'zod';
import { IF_NONE_MATCH, NOT_MODIFIED } from '../http/entity-tag.ts';
import { sendFile } from '../http/pages/static-file.ts';
import { Readiness } from '../operators/readiness.ts';
import { endpoint } from './endpoint.ts';

// They are public: orchestrators ask for the health, and clients need the document before they have a token.

const DOCUMENT = { openapi: '3.1.0', info: { title: 'User-generated content', version: '1.0.0' }, paths: {} };

function getOpenApiDocument() {
  return endpoint({
    method: 'get',
    path: '/openapi.json',
    cost: 'public',
    summary: 'Get this document',
    headers: IF_NONE_MATCH,
    responses: {
      200: {
        description: 'This document.',
        content: { 'application/json': { schema: { type: 'object', additionalProperties: true }, example: DOCUMENT } },
        headers: { ETag: { description: 'Changes with the document.', example: '"0mJ0dWzZ1wVd7gqL6Yx0hQ"' } },
      },
      304: NOT_MODIFIED,
    },
    handle: ({ documents }, { ctx }) => sendFile(ctx, documents().document),
  });
}

/** For generators of clients. */
function getDocumentForGenerators() {
  return endpoint({
    method: 'get',
    path: '/openapi-3.0.json',
    cost: 'public',
    summary: 'Get this description as OpenAPI 3.0, for generators of clients',
    headers: IF_NONE_MATCH,
    responses: {
      200: {
        description: 'The document.',
        content: {
          'application/json': { schema: { type: 'object', additionalProperties: true }, example: { ...DOCUMENT, openapi: '3.0.3' } },
        },
        headers: { ETag: { description: 'Changes with the document.', example: '"0mJ0dWzZ1wVd7gqL6Yx0hQ"' } },
      },
      304: NOT_MODIFIED,
    },
    handle: ({ documents }, { ctx }) => sendFile(ctx, documents().document30),
  });
}

const Liveness = z
  .object({ status: z.enum(['live', 'wedged']).describe('`wedged`: the process makes no progress and must be restarted.') })
  .meta({ id: 'Liveness' });

function getLiveness() {
  return endpoint({
    method: 'get',
    path: '/health/live',
    cost: 'public',
    summary: 'Get whether the process is alive',
    responses: {
      200: { description: 'The process is alive; the stores are not checked.', schema: Liveness, example: { status: 'live' } },
      503: {
        description: 'The process makes no progress and exits so that the supervisor restarts it.',
        schema: Liveness,
        example: { status: 'wedged' },
      },
    },
    handle({ isLive }, { ctx }) {
      const status = isLive() ? 'live' : 'wedged';
      ctx.status = status === 'live' ? 200 : 503;
      ctx.body = { status } satisfies z.infer<typeof Liveness>;
    },
  });
}

const UP = { postgres: 'up', redis: 'up', elasticsearch: 'up' };

function getReadiness() {
  return endpoint({
    method: 'get',
    path: '/health/ready',
    cost: 'public',
    summary: 'Get whether the stores are available',
    responses: {
      200: {
        description: 'Ready or degraded: PostgreSQL responds. `stores` says whether changes are stored and indexed.',
        schema: Readiness,
        example: { status: 'ready', stores: UP },
      },
      503: {
        description:
          'PostgreSQL is unavailable, or its schema is older than this release, so uploads are not accepted; or the process stops.',
        schema: Readiness,
        example: { status: 'unavailable', stores: { ...UP, postgres: 'down' } },
      },
    },
    async handle({ readiness }, { ctx }) {
      const body = await readiness();
      ctx.status = ['unavailable', 'stopping'].includes(body.status) ? 503 : 200;
      ctx.body = body;
    },
  });
}

export const service = { getOpenApiDocument, getDocumentForGenerators, getLiveness, getReadiness };
