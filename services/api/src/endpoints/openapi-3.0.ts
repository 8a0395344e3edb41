// Most generators of clients read OpenAPI 3.0 best, and no two read a choice of objects alike: some take the last one, and
// refuse or lose what another one has. This document says the same of requests and responses without 3.1 and choices.

// A schema of either version.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Schema = any;
type Schemas = Record<string, Schema>;

const PREFIX = '#/components/schemas/';
const NULL = 'null';

/** @param document of OpenAPI 3.1, as `openApiDocument` makes it */
export function toOpenApi30(document: { components: { schemas: Schemas } } & Schemas): Schemas {
  const { schemas } = document.components;
  const merging = new Merging(schemas);
  const merged = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, merging.withoutChoice(schema)]));
  const components = { ...document.components, schemas: { ...merged, ...merging.added } };
  return { ...(convert({ ...document, components }) as Schemas), openapi: '3.0.3' };
}

/** Makes one object of a choice of objects: it may have what one of them has, and always has what all of them have. */
class Merging {
  /** Schemas of objects that differ within those of a choice. */
  readonly added: Schemas = {};
  readonly #schemas: Schemas;

  constructor(schemas: Schemas) {
    this.#schemas = schemas;
  }

  withoutChoice(schema: Schema): Schema {
    const { anyOf: choice, ...rest } = schema;
    const isOfObjects = choice?.every((each: Schema) => this.#resolve(each).type === 'object');
    return isOfObjects ? { ...choice.reduce((one: Schema, other: Schema) => this.#mergeObjects(one, other)), ...rest } : schema;
  }

  #mergeObjects(one: Schema, other: Schema): Schema {
    const [first, second] = [this.#resolve(one), this.#resolve(other)];
    const properties = { ...second.properties, ...first.properties };
    for (const name of Object.keys(properties))
      if (first.properties[name] && second.properties[name])
        properties[name] = this.#merge(first.properties[name], second.properties[name]);
    const required = (first.required ?? []).filter((name: string) => second.required?.includes(name));
    return { ...first, properties, required };
  }

  /** @throws Error if the two are neither equal nor objects, nor lists of them */
  #merge(one: Schema, other: Schema): Schema {
    if (JSON.stringify(one) === JSON.stringify(other)) return one;
    if (one.type === 'array' && other.type === 'array') return { ...one, items: this.#merge(one.items, other.items) };
    if (this.#resolve(one).type !== 'object' || this.#resolve(other).type !== 'object')
      throw new Error(`a choice has a property of two types: ${JSON.stringify([one, other])}`);
    // The order of a choice does not matter: the one that has more gives the name.
    const [larger, smaller] = [one, other].toSorted((a, b) => propertiesOf(this.#resolve(b)) - propertiesOf(this.#resolve(a)));
    const name = nameOf(larger);
    const any = name.startsWith('Any') ? name : `Any${name}`;
    this.added[any] = this.#mergeObjects(larger, smaller);
    return { $ref: `${PREFIX}${any}` };
  }

  #resolve(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema;
    return this.added[nameOf(schema)] ?? this.#schemas[nameOf(schema)];
  }
}

function nameOf({ $ref = '' }: Schema): string {
  return $ref.slice(PREFIX.length);
}

function propertiesOf({ properties = {} }: Schema): number {
  return Object.keys(properties).length;
}

/** They may look like schemas. */
const DATA = new Set(['example', 'examples', 'default']);

/** Keywords that 3.0 does not have, and which say nothing that a client needs: the names of a map are texts. */
const ONLY_IN_31 = ['contentMediaType', 'propertyNames'];

/** Writes what 3.1 says in the words of 3.0: null, examples of schemas. */
function convert(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => convert(each));
  if (value === null || typeof value !== 'object' || DATA.has(key)) return value;
  // Names of properties are no keywords.
  if (key === 'properties') return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, convert(each)]));
  // 3.0 allows nothing beside a reference: readers ignore it, and validators refuse it.
  if ('$ref' in value) return { $ref: value.$ref };
  const { examples, ...schema } = withoutNull(value);
  const known = Object.entries(schema).filter(([name]) => !ONLY_IN_31.includes(name));
  const converted = Object.fromEntries(known.map(([name, each]) => [name, convert(each, name)]));
  if (Array.isArray(examples)) return { ...converted, example: examples[0] };
  return { ...converted, ...(examples !== undefined && { examples }) };
}

function withoutNull(schema: Schema): Schema {
  const { type, anyOf: choice, ...rest } = schema;
  if (Array.isArray(type) && type.includes(NULL)) return { type: type.find((each) => each !== NULL), ...rest, nullable: true };
  const [only, ...others] = (choice ?? []).filter((each: Schema) => each.type !== NULL);
  if (!only || others.length > 0 || choice.length === 1) return schema;
  return { ...only, ...rest, nullable: true };
}
