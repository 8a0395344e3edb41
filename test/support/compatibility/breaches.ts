// What an API takes away from the callers of an earlier one: both are OpenAPI documents.

// JSON of any form.
type Json = any;
/** What callers send may be accepted more widely; what they get may not. */
type Direction = 'sent' | 'returned';

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];
const UPPER_LIMITS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const LOWER_LIMITS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
/** How a parameter is written. */
const STYLES = ['style', 'explode', 'allowReserved'];
/** A change cannot be told from a narrower rule. */
const RULES = ['pattern', 'multipleOf', 'uniqueItems', 'contentMediaType', 'const'];

/** @returns a sentence for each path, method, parameter, status, header, property and value that is removed or narrowed */
export function breachesOfApi(kept: Json, current: Json): string[] {
  const breaches: string[] = [];
  const schemas = new SchemaComparison(kept, current, breaches);
  for (const [path, methods] of Object.entries<Json>(kept.paths))
    for (const method of METHODS.filter((name) => methods[name]))
      compareOperations(`${method.toUpperCase()} ${path}`, methods[method], current.paths[path]?.[method], { breaches, schemas });
  // Generated clients have a type of each name.
  for (const name of Object.keys(kept.components?.schemas ?? {}))
    if (!current.components?.schemas?.[name]) breaches.push(`schema ${name}: removed`);
  for (const [name, scheme] of Object.entries<Json>(kept.components?.securitySchemes ?? {}))
    for (const [key, value] of Object.entries(scheme).filter(([key]) => key !== 'description'))
      if (!isEqual(value, current.components?.securitySchemes?.[name]?.[key])) breaches.push(`security scheme ${name}: ${key} has changed`);
  if (!isEqual(kept.security, current.security)) breaches.push('the API needs another token');
  // Clients take the first one.
  if (kept.servers?.[0]?.url !== current.servers?.[0]?.url) breaches.push('the first server has changed');
  return breaches;
}

const ABSENT = '?: never';

/**
 * What an operation did not take, such as a query, it may take as an option.
 * @param kept entries of `clientTypes` @returns those that are gone
 */
export function breachesOfTypes(kept: string[], current: string[]): string[] {
  const isOption = (name: string): boolean => current.some((entry) => entry.startsWith(`${name}?: `));
  return kept.filter((entry) => !current.includes(entry) && !(entry.endsWith(ABSENT) && isOption(entry.slice(0, -ABSENT.length))));
}

function isEqual(one: Json, other: Json): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** @returns what the schema `current` refuses that `kept` accepts, or returns that `kept` does not */
export function breachesOfSchema(kept: Json, current: Json, direction: Direction = 'sent'): string[] {
  const breaches: string[] = [];
  new SchemaComparison(kept, current, breaches).compare('value', direction, kept, current);
  return breaches;
}

type Comparing = { breaches: string[]; schemas: SchemaComparison };

function compareOperations(where: string, kept: Json, current: Json, comparing: Comparing): void {
  const { breaches } = comparing;
  if (!current) return void breaches.push(`${where}: removed`);
  // Generated clients have a method of this name.
  if (kept.operationId !== current.operationId) breaches.push(`${where}: operationId ${kept.operationId} became ${current.operationId}`);
  // They have a class of each tag.
  for (const tag of kept.tags ?? []) if (!current.tags?.includes(tag)) breaches.push(`${where}: tag ${tag} is removed`);
  if (!isEqual(kept.security, current.security)) breaches.push(`${where}: needs another token`);
  compareParameters(where, kept.parameters ?? [], current.parameters ?? [], comparing);
  compareBodies(where, kept.requestBody, current.requestBody, comparing);
  for (const [status, response] of Object.entries<Json>(kept.responses)) {
    const found = current.responses[status];
    const what = `${where}, ${status}`;
    if (!found) breaches.push(`${what}: removed`);
    else compareResponses(what, response, found, comparing);
  }
}

function compareParameters(where: string, kept: Json[], current: Json[], { breaches, schemas }: Comparing): void {
  const find = (all: Json[], { name, in: place }: Json): Json => all.find((one) => one.name === name && one.in === place);
  for (const parameter of kept) {
    const found = find(current, parameter);
    const what = `${where}, parameter ${parameter.name}`;
    if (!found) breaches.push(`${what}: removed`);
    else {
      for (const key of STYLES) if (parameter[key] !== found[key]) breaches.push(`${what}: ${key} has changed`);
      schemas.compare(what, 'sent', parameter.schema, found.schema);
    }
  }
  for (const parameter of current.filter(({ required }) => required))
    if (!find(kept, parameter)?.required) breaches.push(`${where}, parameter ${parameter.name}: newly required`);
}

function compareBodies(where: string, kept: Json, current: Json, { breaches, schemas }: Comparing): void {
  if (current?.required && !kept?.required) breaches.push(`${where}, body: newly required`);
  compareContents(`${where}, body`, 'sent', kept?.content, current?.content, { breaches, schemas });
}

function compareResponses(where: string, kept: Json, current: Json, { breaches, schemas }: Comparing): void {
  for (const [name, header] of Object.entries<Json>(kept.headers ?? {})) {
    const found = current.headers?.[name];
    const what = `${where}, header ${name}`;
    if (!found) breaches.push(`${what}: removed`);
    else schemas.compare(what, 'returned', header.schema, found.schema);
    if (found && header.required && !found.required) breaches.push(`${what}: no longer always there`);
  }
  compareContents(where, 'returned', kept.content, current.content, { breaches, schemas });
}

function compareContents(where: string, direction: Direction, kept: Json, current: Json, { breaches, schemas }: Comparing): void {
  for (const [type, { schema }] of Object.entries<Json>(kept ?? {})) {
    if (!current?.[type]) breaches.push(`${where}, ${type}: removed`);
    else schemas.compare(where, direction, schema, current[type].schema);
  }
}

class SchemaComparison {
  readonly #kept: Json;
  readonly #current: Json;
  readonly #breaches: string[];
  /** Schemas may contain themselves, and are said once. */
  readonly #compared = new Set<string>();

  constructor(kept: Json, current: Json, breaches: string[]) {
    this.#kept = kept;
    this.#current = current;
    this.#breaches = breaches;
  }

  compare(where: string, direction: Direction, keptSchema: Json, currentSchema: Json): void {
    if (keptSchema?.$ref && currentSchema?.$ref) {
      const pair = `${direction} ${keptSchema.$ref} ${currentSchema.$ref}`;
      if (this.#compared.has(pair)) return;
      this.#compared.add(pair);
    }
    // Generated clients have a type of this name.
    if (keptSchema?.$ref && keptSchema.$ref !== currentSchema?.$ref) this.#breaches.push(`${where}: is no longer a ${nameIn(keptSchema)}`);
    const [kept, current] = [resolve(this.#kept, keptSchema), resolve(this.#current, currentSchema)];
    const variants = [variantsOf(kept), variantsOf(current)] as const;
    if (variants.some((all) => all.length > 1)) return this.#compareVariants(where, direction, ...variants);
    this.#comparePlain(where, direction, ...(variants.flat() as [Json, Json]));
  }

  #compareVariants(where: string, direction: Direction, kept: Json[], current: Json[]): void {
    const fits = (one: Json, other: Json): boolean => {
      const breaches: string[] = [];
      new SchemaComparison(this.#kept, this.#current, breaches).compare(where, direction, one, other);
      return breaches.length === 0;
    };
    for (const [n, one] of kept.entries())
      if (!current.some((other) => fits(one, other))) this.#breaches.push(`${where}: alternative ${n + 1} is removed or narrowed`);
    if (direction === 'sent') return;
    for (const [n, other] of current.entries())
      if (!kept.some((one) => fits(one, other))) this.#breaches.push(`${where}: alternative ${n + 1} is new`);
  }

  #comparePlain(where: string, direction: Direction, kept: Json, current: Json): void {
    const add = (what: string): void => void this.#breaches.push(`${where}: ${what}`);
    compareTypes(direction, kept, current, add);
    compareValues(direction, kept, current, add);
    if (direction === 'sent') compareRules(kept, current, add);
    this.#compareProperties(where, direction, kept, current);
    if (kept.items) this.compare(`${where}[]`, direction, kept.items, current.items ?? {});
    const isOpen = (schema: Json): boolean => schema.additionalProperties !== false;
    const ofFurther = (schema: Json): Json => (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {});
    if (typeof kept.additionalProperties === 'object' || typeof current.additionalProperties === 'object')
      this.compare(`${where}.*`, direction, ofFurther(kept), ofFurther(current));
    if (direction === 'sent' && isOpen(kept) && !isOpen(current)) add('further properties are refused');
  }

  #compareProperties(where: string, direction: Direction, kept: Json, current: Json): void {
    for (const [name, property] of Object.entries(kept.properties ?? {})) {
      const found = current.properties?.[name];
      if (found === undefined) this.#breaches.push(`${where}.${name}: removed`);
      else this.compare(`${where}.${name}`, direction, property, found);
    }
    const [before, after] = [kept.required ?? [], current.required ?? []] as [string[], string[]];
    if (direction === 'sent')
      for (const name of after.filter((one) => !before.includes(one))) this.#breaches.push(`${where}.${name}: newly required`);
    else for (const name of before.filter((one) => !after.includes(one))) this.#breaches.push(`${where}.${name}: no longer always there`);
  }
}

function resolve(document: Json, schema: Json): Json {
  if (!schema?.$ref) return schema ?? {};
  return resolve(document, schema.$ref.slice(2).split('/').reduce((at: Json, key: string) => at?.[key], document)); // prettier-ignore
}

function nameIn({ $ref }: Json): string {
  return $ref.split('/').at(-1);
}

function variantsOf(schema: Json): Json[] {
  return schema.anyOf ?? schema.oneOf ?? [schema];
}

type Add = (what: string) => void;

function compareTypes(direction: Direction, kept: Json, current: Json, add: Add): void {
  const typesOf = ({ type }: Json): string[] | undefined => (type === undefined ? undefined : [type].flat());
  const [before, after] = [typesOf(kept), typesOf(current)];
  const [wide, narrow] = direction === 'sent' ? [after, before] : [before, after];
  if (wide && !(narrow ?? ['anything']).every((type) => wide.includes(type) || (type === 'integer' && wide.includes('number'))))
    add(`type ${before?.join() ?? 'any'} became ${after?.join() ?? 'any'}`);
  // Generated clients have a type for it.
  if (kept.format !== current.format) add(`format ${kept.format} became ${current.format}`);
}

function compareValues(direction: Direction, kept: Json, current: Json, add: Add): void {
  if (current.enum && !kept.enum && direction === 'sent') add('accepts a list of values only');
  if (!current.enum) return;
  for (const value of kept.enum ?? []) if (!current.enum.includes(value)) add(`value ${value} is removed`);
}

function compareRules(kept: Json, current: Json, add: Add): void {
  for (const name of UPPER_LIMITS) if ((current[name] ?? Infinity) < (kept[name] ?? Infinity)) add(`${name} is lower`);
  for (const name of LOWER_LIMITS) if ((current[name] ?? -Infinity) > (kept[name] ?? -Infinity)) add(`${name} is higher`);
  for (const name of RULES) if (current[name] !== undefined && current[name] !== kept[name]) add(`${name} has changed`);
  if (JSON.stringify(kept.default) !== JSON.stringify(current.default)) add(`default ${kept.default} became ${current.default}`);
}
