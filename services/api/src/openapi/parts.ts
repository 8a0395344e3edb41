import { z } from 'zod';
import { IfMatch, IfNoneMatch } from '../http/entity-tag.ts';
import { Prefer } from '../http/prefer.ts';

const ERROR_DESCRIPTIONS: Record<number, string> = {
  400: 'The request is not valid; `errors` lists the first 100 problems and `errorsOmitted` counts the rest.',
  403: 'There is no valid token.',
  404: 'There is no such item.',
  408: 'The body arrived too slowly.',
  412: 'The item has been edited since (`If-Match`).',
  413: 'The body is too large.',
  415: 'The media type of the body is not supported.',
  422: 'The Idempotency-Key was used for another request.',
  429: 'The user sends too many requests per minute or at a time; retry after `Retry-After` seconds.',
  500: 'An internal error occurred, or a store is unavailable.',
  503: 'Nothing can be stored now, or the search index is of an older release; retry after `Retry-After` seconds.',
};

export function ref(schema: string) {
  return { $ref: `#/components/schemas/${schema}` };
}

export function json(description: string, schema: string, example?: unknown) {
  return { description, content: { 'application/json': { schema: ref(schema), ...(example !== undefined && { example }) } } };
}

/** Error responses by status. Every operation with a token also has 403, 429 and 500. */
export function errorResponses(statuses: number[], forbidden = ERROR_DESCRIPTIONS[403]) {
  return Object.fromEntries(
    [...statuses, 403, 429, 500].map((status) => {
      const description = status === 403 ? forbidden : ERROR_DESCRIPTIONS[status];
      return [status, { description, content: { 'application/problem+json': { schema: ref('Problem') } } }];
    }),
  );
}

/** Documents optional parameters by their zod schemas. `description` and `example` are moved to the parameter. */
export function parameters(location: 'query' | 'header', schemas: Record<string, z.ZodType>) {
  return Object.entries(schemas).map(([name, zodSchema]) => {
    const { $schema: _, description, example, ...schema } = z.toJSONSchema(zodSchema, { io: 'input' });
    const style = location === 'query' && schema.type === 'array' ? { style: 'form', explode: true } : {};
    return { name, in: location, required: false, schema, description, example, ...style };
  });
}

export function headers(descriptions: Record<string, string>) {
  return Object.fromEntries(Object.entries(descriptions).map(([name, description]) => [name, { description, schema: { type: 'string' } }]));
}

export const ID = { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 }, example: 42 };
export const PREFER = parameters('header', { Prefer });
export const IF_MATCH = parameters('header', { 'If-Match': IfMatch });
export const IF_NONE_MATCH = parameters('header', { 'If-None-Match': IfNoneMatch });
