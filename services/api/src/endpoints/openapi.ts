import { NO_FIELDS } from '@ugc/fields/definition';
import { VERSION } from '@ugc/shared/process/version';
import { z } from 'zod';
import type { Limits } from '../env.ts';
import { ProblemDetails } from '../http/problem-details.ts';
import { descriptionOf } from './descriptions.ts';
import type { DocumentedResponse, Endpoint } from './endpoint.ts';
import { allEndpoints, GROUPS, type NamedEndpoint } from './endpoints.ts';
import { withDeclaredFields } from './openapi-fields.ts';
import { documentedErrors } from './openapi-errors.ts';

const DESCRIPTION = `Upload, search and read content items. /content and all paths below /api require a bearer token.
Later releases may add properties to responses; clients ignore those that they do not know. The name of a query
parameter that may be repeated may end with \`[]\`. If rates are limited, responses have the headers \`RateLimit\` and
\`RateLimit-Policy\` (draft-ietf-httpapi-ratelimit-headers-11).`;

/** @param publicPath see `publicPathOf` @param declared the fields that it names */
export function openApiDocument(limits: Limits, publicPath = '', declared = NO_FIELDS) {
  const endpoints = allEndpoints(limits);
  const byPath = Map.groupBy(endpoints, ({ path }) => path);
  const toOperations = (ofPath: NamedEndpoint[]) => Object.fromEntries(ofPath.map((each) => [each.method, operation(each, limits)]));
  return {
    openapi: '3.1.0',
    info: { title: 'User-generated content', version: VERSION, description: DESCRIPTION },
    servers: [{ url: publicPath || '/', description: 'The service that sent this document.' }],
    tags: GROUPS.map(({ tag, description }) => ({ name: tag, description })),
    security: [{ bearer: [] }],
    paths: Object.fromEntries([...byPath].map(([path, ofPath]) => [path, toOperations(ofPath)])),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: withDeclaredFields(componentSchemas(endpoints), declared),
    },
  };
}

function operation(endpoint: NamedEndpoint, limits: Limits) {
  const { tag, operationId, summary, cost, responses } = endpoint;
  const parameters = parametersOf(endpoint);
  return {
    tags: [tag],
    operationId,
    summary,
    description: descriptionOf(operationId),
    ...(cost === 'public' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.body && { requestBody: requestBody(endpoint.body) }),
    responses: Object.fromEntries(
      Object.entries({ ...responses, ...documentedErrors(endpoint, limits) }).map(([status, each]) => [status, response(each)]),
    ),
  };
}

const ID_SCHEMA = { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
const IDS = { id: 'The id of the item.', userId: 'The id of the user, which is the `creatorId` of the items.' };

function pathParameters(path: string): object[] {
  const named = Object.entries(IDS).filter(([name]) => path.includes(`{${name}}`));
  return named.map(([name, description]) => ({ name, in: 'path', required: true, description, schema: ID_SCHEMA, example: 42 }));
}

function parametersOf({ path, query, headers = {} }: Endpoint): object[] {
  return [...pathParameters(path), ...parameters('query', query?.schema.shape ?? {}), ...parameters('header', headers)];
}

/** Swagger UI sends the `example` of a parameter unless the user changes it. No item matches those of all filters. */
const SENT_BY_DEFAULT = new Set(['prompt', 'sort']);

/** Documents optional parameters by their zod schemas. `description` is moved to the parameter. */
function parameters(location: 'query' | 'header', schemas: Record<string, z.core.$ZodType>): object[] {
  return Object.entries(schemas).map(([name, zodSchema]) => {
    const { description, example, ...schema } = toJsonSchema(zodSchema as z.ZodType);
    const style = location === 'query' && schema.type === 'array' ? { style: 'form', explode: true } : {};
    const examples = example !== undefined && { examples: [example] };
    const documented = SENT_BY_DEFAULT.has(name) ? { schema, example } : { schema: { ...schema, ...examples } };
    return { name, in: location, required: false, ...documented, description, ...style };
  });
}

function requestBody({ schema, mediaTypes, example }: NonNullable<Endpoint['body']>): object {
  return { required: true, content: { [mediaTypes[0] ?? '']: { schema: ref(nameOf(schema)), example } } };
}

function response({
  description,
  schema,
  mediaType = 'application/json',
  example,
  examples,
  content,
  headers,
}: DocumentedResponse): object {
  const body = schema && { [mediaType]: { schema: ref(nameOf(schema)), ...(examples ? { examples } : { example }) } };
  return { description, ...((content ?? body) && { content: content ?? body }), ...(headers && { headers: headersOf(headers) }) };
}

/** A header whose example is a number is an integer. */
function headersOf(documented: NonNullable<DocumentedResponse['headers']>): object {
  return Object.fromEntries(
    Object.entries(documented).map(([name, { description, example }]) => {
      const schema = typeof example === 'number' ? { type: 'integer', format: 'int32', minimum: 1 } : { type: 'string' };
      return [name, { description, schema, example }];
    }),
  );
}

function componentSchemas(endpoints: Endpoint[]): Record<string, unknown> {
  const ofEndpoint = ({ responses, body, schemas = [] }: Endpoint) => [
    ...Object.values(responses).map(({ schema }) => schema && namedSchemas(schema, 'output')),
    body && namedSchemas(body.schema, 'input'),
    ...schemas.map((schema) => namedSchemas(schema, 'input')),
  ];
  return Object.assign({}, ...endpoints.flatMap(ofEndpoint), namedSchemas(ProblemDetails, 'output')) as Record<string, unknown>;
}

const INT32_MAX = 2_147_483_647;
const LOCATION = '#/components/schemas/';

type JsonSchema = z.core.JSONSchema.BaseSchema;

function ref(name: string): { $ref: string } {
  return { $ref: `${LOCATION}${name}` };
}

/** The name of a schema in the OpenAPI document. @throws Error for a schema without an id */
function nameOf(schema: z.ZodType): string {
  const id = schema.meta()?.id;
  if (id === undefined) throw new Error('a schema of the OpenAPI document has no id');
  return id;
}

/** Converts a schema, and says what zod leaves out and generators need. */
function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, { io: 'input', override: complete });
  return converted;
}

/** Converts a schema that has an id, and the schemas with an id in it. They refer to each other. */
function namedSchemas(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $defs = {} } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: complete });
  return Object.fromEntries(Object.entries($defs).map(([id, { id: _id, ...definition }]) => [id, toComponents(definition)]));
}

/**
 * Unknown properties of requests are ignored, and later releases may add properties to responses; those of a map have a
 * schema. Many generators take an integer without a format for one of 32 bits.
 */
function complete({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  const isMap = typeof jsonSchema.additionalProperties === 'object';
  if (jsonSchema.type === 'object' && !isMap) jsonSchema.additionalProperties = true;
  if (jsonSchema.type === 'integer') jsonSchema.format = (jsonSchema.maximum ?? Infinity) > INT32_MAX ? 'int64' : 'int32';
}

/** In the document, references use the location of a schema. */
function toComponents(converted: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(converted).replaceAll('"#/$defs/', `"${LOCATION}`)) as JsonSchema;
}
