import type { Definition, Definitions } from '@ugc/fields/definition';
import { MAX_VALUES } from '@ugc/fields/definition';
import { typeOf, type ScalarType } from '@ugc/fields/types/types';
import { partDefinition } from '@ugc/fields/values';

type Schema = Record<string, unknown>;

/** How each schema of an item names the declared fields. */
const WITH_FIELDS = { Upload: ofUpload, Edit: ofEdit, ContentItem: ofResponse, ContentSummary: ofResponse };

/** Names the declared fields and their types in the schemas of items. Without any, nothing changes. */
export function withDeclaredFields(schemas: Record<string, unknown>, declared: Definitions): Record<string, unknown> {
  if (declared.size === 0) return schemas;
  const changed = Object.entries(WITH_FIELDS).map(([name, withFields]) => [name, withFields(schemas[name] as ItemSchema, declared)]);
  return { ...schemas, ...Object.fromEntries(changed) };
}

type ItemSchema = Schema & { properties: { fields: Schema }; required?: string[] };

function withFields(schema: ItemSchema, fields: Schema): ItemSchema {
  return { ...schema, properties: { ...schema.properties, fields: { ...schema.properties.fields, ...fields } } };
}

/** A field that is not required may be null, which is no value. */
function ofUpload(schema: ItemSchema, declared: Definitions): ItemSchema {
  const toSchema = (definition: Definition): Schema => (definition.required ? schemaOf(definition) : orNull(schemaOf(definition)));
  const required = [...declared].flatMap(([name, definition]) => (definition.required ? [name] : []));
  const fields = { properties: propertiesOf(declared, toSchema), additionalProperties: false };
  if (required.length === 0) return withFields(schema, fields);
  return { ...withFields(schema, { ...fields, type: 'object', required }), required: [...(schema.required ?? []), 'fields'] };
}

/** Null removes a value, also of a field that is not declared any more, and what is not declared may be sent as it is. */
function ofEdit(schema: ItemSchema, declared: Definitions): ItemSchema {
  return withFields(schema, {
    properties: propertiesOf(declared, (definition) => orNull(schemaOf(definition))),
    additionalProperties: true,
  });
}

/** A value is of the type, and may be one that an earlier definition has allowed: no rule is said of it. */
function ofResponse(schema: ItemSchema, declared: Definitions): ItemSchema {
  const toSchema = (definition: Definition): Schema => withoutRules(schemaOf(definition));
  return withFields(schema, { properties: propertiesOf(declared, toSchema), additionalProperties: true });
}

function propertiesOf(declared: Definitions, toSchema: (definition: Definition) => Schema): Record<string, Schema> {
  return Object.fromEntries([...declared].map(([name, definition]) => [name, toSchema(definition)]));
}

function orNull({ type, enum: values, ...schema }: Schema): Schema {
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }) };
}

function withoutRules({ type, format, items, properties, description }: Schema): Schema {
  const parts = Object.entries((properties ?? {}) as Record<string, Schema>).map(([name, part]) => [name, withoutRules(part)]);
  return {
    type,
    ...(format !== undefined && { format }),
    ...(items !== undefined && { items: withoutRules(items as Schema) }),
    ...(type === 'object' && { properties: Object.fromEntries(parts), additionalProperties: true }),
    ...(description !== undefined && { description }),
  };
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
