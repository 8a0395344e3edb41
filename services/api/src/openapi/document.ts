import type { Limits } from '../env.ts';
import { ITEM_PATHS, ITEMS } from './item-operations.ts';
import { RATING_PATHS, RATINGS } from './rating-operations.ts';
import { componentSchemas } from './schemas.ts';
import { SEARCH, searchPaths } from './search-operations.ts';
import { SERVICE, SERVICE_PATHS } from './service-operations.ts';
import { USER_PATHS, USERS } from './user-operations.ts';

const DESCRIPTION = `Upload, search and read content items. /content and all paths below /api require a bearer token.
Later releases may add properties to responses; clients ignore those that they do not know.`;

/** The OpenAPI 3.1 document, generated from the schemas that validate requests. */
export function openApiDocument(limits: Limits) {
  return {
    openapi: '3.1.0',
    info: { title: 'User-generated content', version: '1.0.0', description: DESCRIPTION },
    servers: [{ url: '/', description: 'The service that sent this document.' }],
    tags: [SEARCH, ITEMS, RATINGS, USERS, SERVICE],
    security: [{ bearer: [] }],
    paths: { ...searchPaths(limits), ...ITEM_PATHS, ...RATING_PATHS, ...USER_PATHS, ...SERVICE_PATHS },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: componentSchemas(limits),
    },
  };
}
