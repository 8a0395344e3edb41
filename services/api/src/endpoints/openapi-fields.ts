import type { Definition, Definitions } from '@ugc/fields/definition';
import { MAX_VALUES } from '@ugc/fields/definition';
import { typeOf, type ScalarType } from '@ugc/fields/types/types';
import { partDefinition } from '@ugc/fields/values';

type Schema = Record<string, unknown>;

/** The schemas that have `fields`, and whether they are those of a request. */
const WITH_FIELDS = { Upload: true, Edit: true, ContentItem: false, ContentSummary: false };

/** Names the declared fields and their types in the schemas of items. Without any, nothing changes. */
export function withDeclaredFields(schemas: Record<string, unknown>, declared: Definitions): Record<string, unknown> {
  if (declared.size === 0) return schemas;
  const changed = Object.entries(WITH_FIELDS).map(([name, isRequest]) => [name, withFields(schemas[name], declared, isRequest)]);
  return { ...schemas, ...Object.fromEntries(changed) };
}

/** A response may have a value that an earlier definition has allowed, and names the fields without rules for it. */
function withFields(schema: unknown, declared: Definitions, isRequest: boolean): Schema {
  const { properties, ...others } = schema as Schema & { properties: Record<string, Schema> };
  const toSchema = (definition: Definition): Schema => (isRequest ? orNull(schemaOf(definition)) : schemaOf(definition));
  const ofFields = Object.fromEntries([...declared].map(([name, definition]) => [name, toSchema(definition)]));
  return {
    ...others,
    properties: { ...properties, fields: { ...properties['fields'], properties: ofFields, additionalProperties: !isRequest } },
  };
}

/** A request may give null: an edit removes the value, and an upload has none. */
function orNull({ type, enum: values, ...schema }: Schema): Schema {
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }) };
}

function schemaOf(definition: Definition): Schema {
  const { type, many, label, of = {} } = definition;
  const one = type === 'group' ? entrySchema(of) : typeOf(type).schema(definition);
  return many ? { type: 'array', items: one, maxItems: MAX_VALUES, description: label } : { ...one, description: label };
}

function entrySchema(of: Record<string, ScalarType>): Schema {
  const parts = Object.entries(of).map(([name, type]) => [name, typeOf(type).schema(partDefinition(type))]);
  return { type: 'object', properties: Object.fromEntries(parts), required: Object.keys(of), additionalProperties: false };
}
