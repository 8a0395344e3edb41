import { z } from 'zod';

const INT32_MAX = 2_147_483_647;

/** Converts a schema, and says what zod leaves out and generators need. */
export function toJsonSchema(schema: z.ZodType): z.core.JSONSchema.JSONSchema {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, { io: 'input', override: complete });
  return converted;
}

/** Converts schemas by name. They refer to each other. */
export function toJsonSchemas(schemas: Record<string, z.ZodType>, io: 'input' | 'output'): Record<string, unknown> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const uri = (id: string): string => `#/components/schemas/${id}`;
  const { schemas: converted } = z.toJSONSchema(registry, { io, uri, unrepresentable: 'any', override: complete });
  return Object.fromEntries(Object.entries(converted).map(([id, schema]) => [id, withoutIds(schema)]));
}

/**
 * Unknown properties of requests are ignored, and later releases may add properties to responses. Many generators take
 * an integer without a format for one of 32 bits.
 */
function complete({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.type === 'object') jsonSchema.additionalProperties = true;
  if (jsonSchema.type === 'integer') jsonSchema.format = (jsonSchema.maximum ?? Infinity) > INT32_MAX ? 'int64' : 'int32';
}

// In the document, references use the location of a schema instead of its id.
function withoutIds({ $id: _id, $schema: _schema, id: _own, ...schema }: Record<string, unknown>): Record<string, unknown> {
  return schema;
}
