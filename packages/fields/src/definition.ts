import { z } from 'zod';
import { KEYWORD_MAX_CHARACTERS } from './types/keyword.ts';
import { compose, problemOfText } from './types/texts.ts';
import { SCALAR_TYPES, typeOf, type ScalarType } from './types/types.ts';

export const MAX_FIELDS = 32;
/** Values, or entries of a group. */
export const MAX_VALUES = 32;
/** The limit of the JSON of all values of an item, in UTF-8. */
export const MAX_ITEM_BYTES = 8_192;
const MAX_LABEL_CHARACTERS = 60;
const MAX_ALLOWED_VALUES = 200;
const [MIN_PARTS, MAX_PARTS] = [2, 3];

export type PartType = Exclude<ScalarType, 'text'>;

/** What an operator declares of a field, with all defaults. `of`: the parts of a group, in the order of their names. */
export type Definition = {
  type: ScalarType | 'group';
  many: boolean;
  label: string;
  searched: boolean;
  facet: boolean;
  required: boolean;
  values?: string[];
  min?: number;
  max?: number;
  of?: Record<string, PartType>;
};

/** By the name of the field, in the order of the file. */
export type Definitions = ReadonlyMap<string, Definition>;
export const NO_FIELDS: Definitions = new Map();

/** `path`: such as `players.min`; empty for the file itself. */
export type DefinitionError = { path: string; detail: string };

/** Objects have `constructor` and others by themselves. */
const isName = (name: string): boolean => /^[a-z][A-Za-z0-9]{0,39}$/.test(name) && !(name in {});
const NAME_RULE = 'is no name of a field: a lower-case letter, and up to 39 letters and digits of ASCII, such as gameVersion';
const PART_TYPES = SCALAR_TYPES.filter((type) => type !== 'text') as PartType[];
/** The types whose values are counted unless `facet` says otherwise. */
const COUNTED: readonly string[] = ['keyword', 'flag', 'version'] satisfies ScalarType[];

const bool = z.boolean('must be true or false');
const shortText = (max: number) => (text: string) => problemOfText(text, max) === undefined;
const Given = z.strictObject(
  {
    type: z.enum([...SCALAR_TYPES, 'group'], { error: `must be ${[...SCALAR_TYPES, 'group'].join(', ')}` }),
    many: bool.optional(),
    label: z
      .string('must be a text')
      .refine(shortText(MAX_LABEL_CHARACTERS), `must be a visible text of at most ${MAX_LABEL_CHARACTERS} characters`)
      .optional(),
    searched: bool.optional(),
    facet: bool.optional(),
    required: bool.optional(),
    values: z
      .array(
        z
          .string('must be a text')
          .refine(shortText(KEYWORD_MAX_CHARACTERS), `must be a visible text of at most ${KEYWORD_MAX_CHARACTERS} characters`),
        'must be a list of texts',
      )
      .min(1, 'must have a value')
      .max(MAX_ALLOWED_VALUES, `must have at most ${MAX_ALLOWED_VALUES} values`)
      .optional(),
    min: z.number('must be a number').optional(),
    max: z.number('must be a number').optional(),
    of: z
      .record(z.string(), z.enum(PART_TYPES, `must be ${PART_TYPES.join(', ')}`), 'must be an object of parts and their types')
      .optional(),
  },
  {
    error: ({ code, keys }) =>
      code === 'unrecognized_keys' ? `has no property ${keys.join(', ')}; the properties are ${PROPERTIES}` : 'must be an object with type',
  },
);
const PROPERTIES = 'type, many, label, searched, facet, required, values, min, max and of';
type Given = z.output<typeof Given>;

/** @returns the definitions, or everything that is wrong with them · @param file its parsed JSON */
export function readDefinitions(file: unknown): { definitions: Definitions } | { errors: DefinitionError[] } {
  if (typeof file !== 'object' || file === null || Array.isArray(file))
    return { errors: [{ path: '', detail: 'must be a JSON object with the names of the fields, such as {"licence":{"type":"keyword"}}' }] };
  const entries = Object.entries(file);
  const errors: DefinitionError[] = [];
  if (entries.length > MAX_FIELDS) errors.push({ path: '', detail: `declares ${entries.length} fields; the maximum is ${MAX_FIELDS}` });
  const definitions = new Map<string, Definition>();
  for (const [name, value] of entries) {
    const parsed = Given.safeParse(value);
    const problems = parsed.success
      ? problemsOf(parsed.data)
      : parsed.error.issues.map(({ path, message }) => ({ at: path.join('.'), detail: message }));
    if (!isName(name)) problems.push({ at: '', detail: NAME_RULE });
    errors.push(...problems.map(({ at, detail }) => ({ path: at === '' ? name : `${name}.${at}`, detail })));
    if (parsed.success) definitions.set(name, complete(name, parsed.data));
  }
  return errors.length > 0 ? { errors } : { definitions };
}

type Problem = { at: string; detail: string };

function problemsOf(given: Given): Problem[] {
  const { type, min = -Infinity, max = Infinity } = given;
  const only = (property: keyof Given, types: string[]): Problem[] =>
    given[property] === undefined || given[property] === false || types.includes(type)
      ? []
      : [{ at: property, detail: `is only for fields of the type ${types.join(' or ')}, and not for ${type}` }];
  return [
    ...only('values', ['keyword']),
    ...only('min', ['number']),
    ...only('max', ['number']),
    ...only('of', ['group']),
    ...only('searched', ['keyword', 'text']),
    ...only('facet', PART_TYPES),
    ...(min > max ? [{ at: 'min', detail: 'must not be greater than max' }] : []),
    ...(type === 'group' ? problemsOfParts(given.of ?? {}) : []),
  ];
}

function problemsOfParts(of: Record<string, PartType>): Problem[] {
  const names = Object.keys(of);
  const count = names.length >= MIN_PARTS && names.length <= MAX_PARTS;
  return [
    ...(count ? [] : [{ at: 'of', detail: `must have ${MIN_PARTS} or ${MAX_PARTS} parts, such as {"game":"version","loader":"keyword"}` }]),
    ...names.filter((name) => !isName(name)).map((name) => ({ at: `of.${name}`, detail: NAME_RULE })),
  ];
}

function complete(name: string, { label, of, values, ...given }: Given): Definition {
  const parts = of && sortedParts(of);
  return {
    many: false,
    required: false,
    ...given,
    label: label ?? labelOf(name),
    searched: given.type === 'text' || given.searched === true,
    facet: given.facet ?? COUNTED.includes(given.type),
    ...(values && { values: [...new Set(values.map(compose))] }),
    ...(parts && { of: parts }),
  };
}

/** PostgreSQL has an order of its own. */
function sortedParts(of: Record<string, PartType>): Record<string, PartType> {
  return Object.fromEntries(Object.entries(of).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** @returns the JSON of a file that declares the fields, without what is the default */
export function toFile(definitions: Definitions): Record<string, Partial<Definition>> {
  return Object.fromEntries([...definitions].map(([name, definition]) => [name, withoutDefaults(name, definition)]));
}

function withoutDefaults(name: string, definition: Definition): Partial<Definition> {
  const defaults: Partial<Definition> = complete(name, { type: definition.type });
  const isKept = ([property, value]: [string, unknown]): boolean =>
    property === 'type' || !(property in defaults) || value !== defaults[property as keyof Definition];
  const { type, ...others } = definition;
  return Object.fromEntries(Object.entries({ type, ...others }).filter(isKept));
}

/** `gameVersion` is "Game version". */
function labelOf(name: string): string {
  const words = name.replace(/([a-z])([A-Z0-9])/g, '$1 $2').toLowerCase();
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** As they are stored: the definitions in their order. */
export type StoredDefinitions = ({ name: string } & Definition)[];

export function toStored(definitions: Definitions): StoredDefinitions {
  return [...definitions].map(([name, definition]) => ({ name, ...definition }));
}

export function fromStored(stored: StoredDefinitions | null | undefined): Definitions {
  return new Map((stored ?? []).map(({ name, of, ...definition }) => [name, { ...definition, ...(of && { of: sortedParts(of) }) }]));
}

/** What of a definition decides the documents and the mapping of an index. */
function indexedPart({ type, many, searched, of }: Definition): unknown[] {
  return [type, many, searched, of ?? null];
}

/**
 * @returns the fields for which an index with the documents of `built` has to be rebuilt for `declared`. A removed field may
 * stay in it, unless its words are found.
 */
export function fieldsToRebuild(declared: Definitions, built: Definitions): string[] {
  const isSame = (name: string, definition: Definition): boolean => {
    const other = built.get(name);
    return other !== undefined && JSON.stringify(indexedPart(other)) === JSON.stringify(indexedPart(definition));
  };
  const isLeftOver = ([name, { searched }]: [string, Definition]): boolean => searched && !declared.has(name);
  const changed = [...declared].filter(([name, definition]) => !isSame(name, definition));
  return [...changed, ...[...built].filter(isLeftOver)].map(([name]) => name);
}

export function needsRebuild(declared: Definitions, built: Definitions): boolean {
  return fieldsToRebuild(declared, built).length > 0;
}

/** A part of a group is named with a dot, as `build.loader`. @returns the definition of its values, which may be many */
export function findField(
  definitions: Definitions,
  path: string,
): { field: string; part: string | undefined; definition: Definition } | undefined {
  const [field = '', part, ...others] = path.split('.');
  const definition = definitions.get(field);
  if (!definition || others.length > 0) return undefined;
  if (part === undefined) return { field, part, definition };
  const type = definition.of && Object.hasOwn(definition.of, part) ? definition.of[part] : undefined;
  return type && { field, part, definition: { ...definition, type, many: true, facet: typeOf(type).index !== undefined } };
}
