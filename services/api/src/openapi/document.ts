import type { Limits } from '../env.ts';
import {
  deleteOperation,
  downloadOperation,
  editOperation,
  getOperation,
  indexStatusOperation,
  listOperation,
  rateOperation,
  thumbnailOperation,
  unrateOperation,
  uploadOperation,
} from './operations.ts';
import { json } from './parts.ts';
import { componentSchemas } from './schemas.ts';

/** OpenAPI 3.1, made from the schemas that the service itself validates with. */
export function openApiDocument(limits: Limits) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'User-generated content',
      version: '1.0.0',
      description: 'Upload content items, find them by relevance, read them. Every call below /api and to /content needs a bearer token.',
    },
    security: [{ bearer: [] }],
    paths: {
      '/api/content': { get: listOperation(limits) },
      '/content': { post: uploadOperation() },
      '/api/content/{id}': { get: getOperation(), patch: editOperation(), delete: deleteOperation() },
      '/api/content/{id}/rating': { put: rateOperation(), delete: unrateOperation() },
      '/api/content/{id}/downloads': { post: downloadOperation() },
      '/api/content/{id}/thumbnail': { get: thumbnailOperation() },
      '/api/content/{id}/index-status': { get: indexStatusOperation() },
      ...openPaths(),
    },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: componentSchemas(limits),
    },
  };
}

function openPaths() {
  const open = (summary: string, responses: object) => ({ get: { summary, security: [], responses } });
  return {
    '/openapi.json': open('This description', {
      200: { description: 'It.', content: { 'application/json': { schema: { type: 'object' } } } },
    }),
    '/health/live': open('Whether the process is alive', {
      200: json('It is, whatever the stores are.', 'Liveness'),
      503: json('It gets nothing done although it could: it stops, to be started again.', 'Liveness'),
    }),
    '/health/ready': open('Whether the stores answer', {
      200: json('Ready, or degraded: uploads are taken.', 'Readiness'),
      503: json('PostgreSQL does not answer, so nothing can be taken.', 'Readiness'),
    }),
  };
}
