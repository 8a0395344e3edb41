import { IF_NONE_MATCH, NOT_MODIFIED } from '../http/entity-tag.ts';
import { sendFile } from '../http/pages/static-file.ts';
import { endpoint, type Endpoint } from './endpoint.ts';

const EXAMPLE = { openapi: '3.1.0', info: { title: 'User-generated content', version: '1.0.0' }, paths: {} };

/** It is public, because clients need the document before they have a token. */
export function getOpenApiDocument(): Endpoint {
  return endpoint({
    method: 'get',
    path: '/openapi.json',
    cost: 'public',
    tag: 'Service',
    operationId: 'getOpenApiDocument',
    summary: 'Get this document',
    headers: IF_NONE_MATCH,
    responses: {
      200: {
        description: 'This document.',
        content: { 'application/json': { schema: { type: 'object', additionalProperties: true }, example: EXAMPLE } },
        headers: { ETag: { description: 'Changes with the document.', example: '"0mJ0dWzZ1wVd7gqL6Yx0hQ"' } },
      },
      304: NOT_MODIFIED,
    },
    handle: ({ document }, { ctx }) => sendFile(ctx, document),
  });
}
