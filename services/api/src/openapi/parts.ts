import type { z } from 'zod';
import { IfMatch, IfNoneMatch } from '../http/entity-tag.ts';
import { Prefer } from '../http/prefer.ts';
import { toJsonSchema } from './json-schema.ts';

export function ref(schema: string) {
  return { $ref: `#/components/schemas/${schema}` };
}

export function json(description: string, schema: string, example: unknown) {
  return { description, content: { 'application/json': { schema: ref(schema), example } } };
}

export function jsonBody(schema: string, example: unknown, mediaType = 'application/json') {
  return { required: true, content: { [mediaType]: { schema: ref(schema), example } } };
}

/** Swagger UI sends the `example` of a parameter unless the user changes it. No item matches those of all filters. */
const SENT_BY_DEFAULT = new Set(['prompt']);

/** Documents optional parameters by their zod schemas. `description` is moved to the parameter. */
export function parameters(location: 'query' | 'header', schemas: Record<string, z.ZodType>) {
  return Object.entries(schemas).map(([name, zodSchema]) => {
    const { description, example, ...schema } = toJsonSchema(zodSchema);
    const style = location === 'query' && schema.type === 'array' ? { style: 'form', explode: true } : {};
    const examples = example !== undefined && { examples: [example] };
    const documented = SENT_BY_DEFAULT.has(name) ? { schema, example } : { schema: { ...schema, ...examples } };
    return { name, in: location, required: false, ...documented, description, ...style };
  });
}

type Header = { description: string; example: string | number };

/** A header whose example is a number is an integer. */
export function headers(documented: Record<string, Header>) {
  return Object.fromEntries(
    Object.entries(documented).map(([name, { description, example }]) => {
      const schema = typeof example === 'number' ? { type: 'integer', format: 'int32', minimum: 1 } : { type: 'string' };
      return [name, { description, schema, example }];
    }),
  );
}

const ID_SCHEMA = { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
export const ID = { name: 'id', in: 'path', required: true, description: 'The id of the item.', schema: ID_SCHEMA, example: 42 };
export const PREFER = parameters('header', { Prefer });
export const IF_MATCH = parameters('header', { 'If-Match': IfMatch });
export const IF_NONE_MATCH = parameters('header', { 'If-None-Match': IfNoneMatch });

export const NOT_MODIFIED = { description: 'The cached copy is current.' };

export const ETAG = {
  ETag: {
    description: '`"E.N"`: E is the number of edits; N changes with the rest of the body, such as downloads.',
    example: '"0.109476130958206348513"',
  },
};

export const PREFERENCE_APPLIED = {
  'Preference-Applied': { description: 'Present if lists show the change before the end of `Prefer: wait`.', example: 'wait=5' },
};
