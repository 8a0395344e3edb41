import { isDeepStrictEqual } from 'node:util';
import { MAX_FIELDS, MAX_ITEM_BYTES, MAX_VALUES, type Definition, type Definitions } from './definition.ts';
import type { Scalar } from './field-type.ts';
import { typeOf, type ScalarType } from './types/types.ts';

export type Entry = Record<string, Scalar>;
export type Value = Scalar | Entry | (Scalar | Entry)[];
/** The fields of an item, in their normal form. Also those of fields that are not declared any more. */
export type Values = Record<string, Value>;

/** `path`: from the fields on, such as `['players']` or `['build', 0, 'game']`. */
export type ValueError = { path: (string | number)[]; detail: string; code?: 'required' | 'too-many'; values?: Record<string, number> };
export type CheckedValues = { values: Values } | { errors: ValueError[] };

/** Of the fields that are declared, and of those that were. */
const MAX_NAMES = 2 * MAX_FIELDS;

/**
 * What an item has after a change. `given` is a merge patch: fields that it does not name stay, and null removes one. Only
 * what changes is checked, so that a value which an earlier definition allowed does not refuse another change, nor itself.
 * @param before undefined for a new item, which must have the required fields
 */
export function mergeValues(definitions: Definitions, given: unknown, before: Values | undefined): CheckedValues {
  const patch = given ?? {};
  if (!isObject(patch)) return { errors: [{ path: [], detail: 'must be an object with the names of the fields' }] };
  const names = Object.keys(patch).length;
  if (names > MAX_NAMES) return { errors: [{ path: [], detail: `has ${names} names; the maximum is ${MAX_NAMES}` }] };
  const errors: ValueError[] = [];
  const values: Values = { ...before };
  for (const [name, value] of Object.entries(patch)) {
    const checked = isKept(name, value, before) ? { value } : checkNamed(name, value, definitions);
    if ('errors' in checked) errors.push(...checked.errors.map((error) => ({ ...error, path: [name, ...error.path] })));
    else if (checked.value === undefined) delete values[name];
    else values[name] = checked.value;
  }
  errors.push(...missing(definitions, values, before), ...(given ? tooLarge(values) : []));
  return errors.length > 0 ? { errors } : { values };
}

function isKept(name: string, value: unknown, before: Values = {}): value is Value {
  return Object.hasOwn(before, name) && isDeepStrictEqual(value, before[name]);
}

function tooLarge(values: Values): ValueError[] {
  const bytes = Buffer.byteLength(JSON.stringify(values));
  return bytes <= MAX_ITEM_BYTES ? [] : [{ path: [], detail: `have ${bytes} bytes of JSON together; the maximum is ${MAX_ITEM_BYTES}` }];
}

function checkNamed(name: string, value: unknown, definitions: Definitions): CheckedValue {
  const definition = definitions.get(name);
  if (!definition) return { errors: [{ path: [], detail: describeUnknown(definitions) }] };
  return value === null ? { value: undefined } : checkValue(value, definition);
}

/** A field that became required later is not asked of a change of an item that lacks it, but none is removed. */
function missing(definitions: Definitions, values: Values, before: Values | undefined): ValueError[] {
  const names = [...definitions].filter(
    ([name, { required }]) => required && !Object.hasOwn(values, name) && (!before || Object.hasOwn(before, name)),
  );
  return names.map(([name]) => ({ path: [name], detail: 'is required', code: 'required' }));
}

export function describeUnknown(definitions: Definitions): string {
  const names = [...definitions.keys()];
  return names.length === 0 ? 'is not declared: no fields are declared' : `is not declared; the fields are ${names.join(', ')}`;
}

type CheckedValue = { value: Value | undefined } | { errors: ValueError[] };

/** @returns undefined for an empty list, which is no value */
export function checkValue(value: unknown, definition: Definition): CheckedValue {
  if (!definition.many) return checkOne(value, definition);
  const given: unknown[] = Array.isArray(value) ? value : [value];
  if (given.length > MAX_VALUES) return { errors: [tooMany(given.length)] };
  const checked = given.map((each) => checkOne(each, definition));
  const errors = checked.flatMap((each, at) =>
    'errors' in each ? each.errors.map((error) => ({ ...error, path: [at, ...error.path] })) : [],
  );
  if (errors.length > 0) return { errors };
  const values = checked.flatMap((each) => ('value' in each ? [each.value as Scalar | Entry] : []));
  const unique = new Map(values.map((each) => [JSON.stringify(each), each]));
  return { value: values.length === 0 ? undefined : [...unique.values()] };
}

function tooMany(count: number): ValueError {
  const values = { max: MAX_VALUES, is: count };
  return { path: [], detail: `has ${count} values; the maximum is ${MAX_VALUES}`, code: 'too-many', values };
}

function checkOne(value: unknown, definition: Definition): CheckedValue {
  const { type, of = {} } = definition;
  if (type === 'group') return checkEntry(value, of);
  if (Array.isArray(value)) return { errors: [{ path: [], detail: 'must be one value, and not a list' }] };
  const checked = typeOf(type).check(value, definition);
  return 'value' in checked ? checked : { errors: [{ path: [], detail: checked.detail }] };
}

function checkEntry(value: unknown, of: Record<string, ScalarType>): CheckedValue {
  const parts = Object.keys(of);
  const example = `must be an object with ${parts.join(' and ')}`;
  if (!isObject(value)) return { errors: [{ path: [], detail: example }] };
  const names = Object.keys(value);
  if (names.length > parts.length) return { errors: [{ path: [], detail: `${example}, and has ${names.length} parts` }] };
  const unknown = names.filter((name) => !Object.hasOwn(of, name));
  const errors: ValueError[] = unknown.map((name) => ({ path: [name], detail: `is no part: the parts are ${parts.join(' and ')}` }));
  const entry: Entry = {};
  for (const [part, type] of Object.entries(of)) {
    const given = Object.hasOwn(value, part) ? value[part] : undefined;
    const checked = typeOf(type).check(given, partDefinition(type));
    if ('value' in checked) entry[part] = checked.value;
    else errors.push({ path: [part], ...(given === undefined ? { detail: 'is required', code: 'required' } : { detail: checked.detail }) });
  }
  return errors.length > 0 ? { errors } : { value: entry };
}

export function partDefinition(type: ScalarType): Definition {
  return { type, many: false, label: '', searched: false, facet: false, required: false };
}

/** The values that fit a definition, which may have changed since they were stored: none, one or many. */
export function fittingValues(value: Value | undefined, definition: Definition): (Scalar | Entry)[] {
  if (value === undefined) return [];
  const checked = checkValue(value, definition);
  if (!('value' in checked) || checked.value === undefined) return [];
  return Array.isArray(checked.value) ? checked.value : [checked.value];
}

/** @returns the names of the declared fields whose values do not fit their definitions; they are stored, and not indexed */
export function unfitting(values: Values, definitions: Definitions): string[] {
  const isUnfit = ([name, definition]: [string, Definition]): boolean =>
    Object.hasOwn(values, name) && fittingValues(values[name], definition).length === 0;
  return [...definitions].filter(isUnfit).map(([name]) => name);
}

/** @returns the values of declared fields, in the order of the definitions */
export function declaredValues(values: Values, definitions: Definitions): Values {
  return Object.fromEntries(
    [...definitions.keys()].flatMap((name) => (Object.hasOwn(values, name) ? [[name, values[name] as Value]] : [])),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
