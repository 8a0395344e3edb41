import { z } from 'zod';

const INT32_MAX = 2_147_483_647;
const LOCATION = '#/components/schemas/';

type JsonSchema = z.core.JSONSchema.BaseSchema;

export function ref(name: string): { $ref: string } {
  return { $ref: `${LOCATION}${name}` };
}

/** The name of a schema in the OpenAPI document. @throws Error for a schema without an id */
export function nameOf(schema: z.ZodType): string {
  const id = schema.meta()?.id;
  if (id === undefined) throw new Error('a schema of the OpenAPI document has no id');
  return id;
}

/** Converts a schema, and says what zod leaves out and generators need. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, { io: 'input', override: complete });
  return converted;
}

/** Converts a schema that has an id, and the schemas with an id in it. They refer to each other. */
export function namedSchemas(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $defs = {} } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: complete });
  return Object.fromEntries(Object.entries($defs).map(([id, { id: _id, ...definition }]) => [id, toComponents(definition)]));
}

/**
 * Unknown properties of requests are ignored, and later releases may add properties to responses. Many generators take
 * an integer without a format for one of 32 bits.
 */
function complete({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.type === 'object') jsonSchema.additionalProperties = true;
  if (jsonSchema.type === 'integer') jsonSchema.format = (jsonSchema.maximum ?? Infinity) > INT32_MAX ? 'int64' : 'int32';
}

/** In the document, references use the location of a schema. */
function toComponents(converted: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(converted).replaceAll('"#/$defs/', `"${LOCATION}`)) as JsonSchema;
}
