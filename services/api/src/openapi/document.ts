import type { Limits } from '../env.ts';
import { contentPaths } from './operations.ts';
import { json } from './parts.ts';
import { componentSchemas } from './schemas.ts';

/** The OpenAPI 3.1 document, generated from the schemas that validate requests. */
export function openApiDocument(limits: Limits) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'User-generated content',
      version: '1.0.0',
      description: 'Upload, search and read content items. /content and all paths below /api require a bearer token.',
    },
    security: [{ bearer: [] }],
    paths: { ...contentPaths(limits), ...publicPaths() },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: componentSchemas(limits),
    },
  };
}

function publicPaths() {
  const publicGet = (summary: string, responses: object) => ({ get: { summary, security: [], responses } });
  return {
    '/openapi.json': publicGet('Get this document', {
      200: { description: 'This document.', content: { 'application/json': { schema: { type: 'object' } } } },
    }),
    '/health/live': publicGet('Get whether the process is alive', {
      200: json('The process is alive; the stores are not checked.', 'Liveness'),
      503: json('The process makes no progress and exits so that the supervisor restarts it.', 'Liveness'),
    }),
    '/health/ready': publicGet('Get whether the stores are available', {
      200: json('Ready or degraded: uploads are accepted.', 'Readiness'),
      503: json('PostgreSQL is unavailable, so uploads are not accepted.', 'Readiness'),
    }),
  };
}
