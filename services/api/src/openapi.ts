import { z } from 'zod';
import { ContentItem } from './content/content-item.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE, MAX_SORT_KEYS, SORTABLE } from './content/list-parameters.ts';
import { toPage } from './content/page.ts';
import { uploadSchema } from './content/upload.ts';
import { Uploaded } from './content/uploaded.ts';
import type { Limits } from './env.ts';
import { Liveness, Readiness } from './routes/health.ts';

const Sort = z.object({ empty: z.boolean(), sorted: z.boolean(), unsorted: z.boolean() }).meta({ id: 'Sort' });

const ContentPage = z
  .object({
    content: z.array(ContentItem),
    pageable: z.object({
      pageNumber: z.int(),
      pageSize: z.int(),
      sort: Sort,
      offset: z.int(),
      paged: z.boolean(),
      unpaged: z.boolean(),
    }),
    last: z.boolean(),
    first: z.boolean(),
    totalElements: z.int().describe('Exact, however many there are.'),
    totalPages: z.int(),
    size: z.int(),
    number: z.int().describe('Zero-based.'),
    sort: Sort,
    numberOfElements: z.int(),
    empty: z.boolean(),
  })
  .meta({ id: 'ContentPage' });

const ProblemDetails = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    requestId: z.string(),
    errors: z
      .array(z.object({ pointer: z.string().optional(), parameter: z.string().optional(), detail: z.string() }))
      .optional()
      .describe('Everything that is wrong with the request, each with a pointer into the body or the name of a parameter.'),
  })
  .meta({ id: 'Problem' });

const EXAMPLE_ITEM = {
  contentId: 42,
  creatorId: 1,
  creatorName: 'pixel_otter',
  data: '{"width":320,"height":180}',
  name: 'Lighthouse at dusk',
  description: 'A pixel-art wallpaper of a misty harbour.',
  version: 1,
  downloadsCount: 311,
  latestDownloadsCount: 40,
  avgRating: 4.5,
  createdAt: '2026-11-20T09:30:00.000+00:00',
  updatedAt: '2026-11-20T09:30:00.000+00:00',
};
const EXAMPLE_UPLOAD = {
  creatorId: 1,
  name: 'Lighthouse at dusk',
  description: 'A pixel-art wallpaper of a misty harbour.',
  version: 1,
  data: '{"width":320,"height":180}',
  tags: ['pixel art', 'wallpaper'],
};

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
      '/api/content/{id}': { get: getOperation() },
      '/content': { post: uploadOperation() },
      '/openapi.json': {
        get: openOperation('This description', {
          200: { description: 'It.', content: { 'application/json': { schema: { type: 'object' } } } },
        }),
      },
      '/health/live': { get: openOperation('Whether the process is alive', { 200: json('It is.', 'Liveness') }) },
      '/health/ready': {
        get: openOperation('Whether the stores answer', {
          200: json('Ready, or degraded: uploads are taken.', 'Readiness'),
          503: json('PostgreSQL does not answer, so nothing can be taken.', 'Readiness'),
        }),
      },
    },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: componentSchemas(limits),
    },
  };
}

function listOperation(limits: Limits) {
  return {
    operationId: 'listContent',
    summary: 'A page of content items, all of them or those a prompt finds',
    parameters: [
      query(
        'prompt',
        { type: 'string', maxLength: limits.PROMPT_MAX_CHARACTERS, default: '' },
        'Matched against name, tags, description and creator name, in that order of weight. Word forms, accents and small typing errors are forgiven, the last word may be unfinished, "quoted phrases" must occur as they are, -word excludes.',
        'lighthouse',
      ),
      query('page', { type: 'integer', minimum: 0, maximum: MAX_PAGE, default: 0 }, 'Zero-based.'),
      query('size', { type: 'integer', minimum: 1, maximum: limits.PAGE_MAX_SIZE, default: DEFAULT_PAGE_SIZE }, 'Items of a page.'),
      {
        ...query(
          'sort',
          {
            type: 'array',
            maxItems: MAX_SORT_KEYS,
            default: ['createdAt,desc'],
            items: { type: 'string', pattern: `^(${SORTABLE.join('|')})(,([aA][sS][cC]|[dD][eE][sS][cC]))?$` },
          },
          '`field`, `field,asc` or `field,desc`; repeat it for further keys. Ascending unless said otherwise, `relevance` descending.',
        ),
        style: 'form',
        explode: true,
      },
    ],
    responses: {
      200: json('The page.', 'ContentPage', toPage([EXAMPLE_ITEM], { number: 0, size: DEFAULT_PAGE_SIZE, total: 1 })),
      400: problem('A parameter is not valid; `errors` names each.'),
      ...refusals(),
    },
  };
}

function getOperation() {
  return {
    operationId: 'getContent',
    summary: 'One content item',
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 }, example: 42 }],
    responses: { 200: json('The item.', 'ContentItem', EXAMPLE_ITEM), 404: problem('There is no such item.'), ...refusals() },
  };
}

function uploadOperation() {
  return {
    operationId: 'uploadContent',
    summary: 'Upload a content item; it becomes searchable within moments',
    requestBody: { required: true, content: { 'application/json': { schema: ref('Upload'), example: EXAMPLE_UPLOAD } } },
    responses: {
      201: {
        ...json('Stored.', 'Uploaded'),
        headers: { Location: { description: 'Where the item can be read.', schema: { type: 'string' } } },
      },
      400: problem('The body is not valid; `errors` names everything that is wrong.'),
      413: problem('The body is too large.'),
      415: problem('The body is not JSON.'),
      503: problem('Nothing can be stored right now; Retry-After says when to try again.'),
      ...refusals('No valid token, the user does not exist, or creatorId is somebody else.'),
    },
  };
}

function openOperation(summary: string, responses: object) {
  return { summary, security: [], responses };
}

function refusals(forbidden = 'No valid token.') {
  return { 403: problem(forbidden), 500: problem('Something went wrong on our side, or a store does not answer.') };
}

function query(name: string, schema: object, description: string, example?: unknown) {
  return { name, in: 'query', required: false, schema, description, ...(example !== undefined && { example }) };
}

function json(description: string, schema: string, example?: unknown) {
  return { description, content: { 'application/json': { schema: ref(schema), ...(example !== undefined && { example }) } } };
}

function problem(description: string) {
  return { description, content: { 'application/problem+json': { schema: ref('Problem') } } };
}

function ref(schema: string) {
  return { $ref: `#/components/schemas/${schema}` };
}

function componentSchemas(limits: Limits): Record<string, unknown> {
  const answers = { ContentItem, ContentPage, Sort, Uploaded, Problem: ProblemDetails, Liveness, Readiness };
  return { ...toJsonSchemas(answers, 'output'), ...toJsonSchemas({ Upload: uploadSchema(limits) }, 'input') };
}

function toJsonSchemas(schemas: Record<string, z.ZodType>, io: 'input' | 'output'): Record<string, unknown> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const { schemas: converted } = z.toJSONSchema(registry, { io, uri: (id) => `#/components/schemas/${id}`, unrepresentable: 'any' });
  return Object.fromEntries(Object.entries(converted).map(([id, schema]) => [id, withoutIds(schema)]));
}

// In a document the schemas are known by their place.
function withoutIds({ $id: _id, $schema: _schema, id: _own, ...schema }: Record<string, unknown>): Record<string, unknown> {
  return schema;
}
