import { isDeepStrictEqual } from 'node:util';
import { MAX_FIELDS, MAX_ITEM_BYTES, MAX_VALUES, type Definition, type Definitions } from './definition.ts';
import { wrongType, type Fault, type Scalar } from './field-type.ts';
import { typeOf, type ScalarType } from './types/types.ts';

export type Entry = Record<string, Scalar>;
export type Value = Scalar | Entry | (Scalar | Entry)[];
/** The fields of an item, in their normal form. Also those of fields that are not declared any more. */
export type Values = Record<string, Value>;

/** `path`: from the fields on, such as `['players']` or `['build', 0, 'game']`. */
export type ValueError = Fault & { path: (string | number)[] };
export type CheckedValues = { values: Values } | { errors: ValueError[] };

/** The limit of the column, which has the values of removed fields too. */
const MAX_STORED_BYTES = 32_768;
/** Of the fields that are declared, and of those that were. */
const MAX_NAMES = 2 * MAX_FIELDS;

/**
 * What an item has after a change. `given` is a merge patch: fields that it does not name stay, and null removes one. Only
 * what changes is checked, so that a value which an earlier definition allowed does not refuse another change, nor itself.
 * @param before undefined for a new item, which must have the required fields
 */
export function mergeValues(definitions: Definitions, given: unknown, before: Values | undefined): CheckedValues {
  const patch = given ?? {};
  if (!isObject(patch)) return { errors: [{ path: [], ...wrongType('object', 'must be an object with the names of the fields') }] };
  const names = Object.keys(patch).length;
  if (names > MAX_NAMES) return { errors: [tooMany(names, 'names', MAX_NAMES)] };
  const errors: ValueError[] = [];
  const values: Values = { ...before };
  for (const [name, value] of Object.entries(patch)) {
    const kept = keptValue(name, value, { definitions, before });
    const checked = kept === undefined ? checkNamed(name, value, { definitions, before }) : { value: kept };
    if ('errors' in checked) errors.push(...checked.errors.map((error) => ({ ...error, path: [name, ...error.path] })));
    else if (checked.value === undefined) delete values[name];
    else values[name] = checked.value;
  }
  errors.push(...missing(definitions, values, before), ...(given ? tooLarge(definitions, values, before) : []));
  return errors.length > 0 ? { errors } : { values };
}

/** @returns the value that is stored, if it is given as it is stored or as responses have it */
function keptValue(name: string, given: unknown, { definitions, before = {} }: Known): Value | undefined {
  const stored = Object.hasOwn(before, name) ? before[name] : undefined;
  if (stored === undefined) return undefined;
  return [stored, returnedValue(stored, definitions.get(name))].some((each) => isDeepStrictEqual(given, each)) ? stored : undefined;
}

/** One value that was stored before the field could have many is a list of one. */
function returnedValue(stored: Value, definition: Definition | undefined): Value {
  return definition?.many && !Array.isArray(stored) ? [stored] : stored;
}

/** Values that were allowed when another field was declared may stay; those of removed fields count for the database alone. */
function tooLarge(definitions: Definitions, values: Values, before: Values = {}): ValueError[] {
  const bytes = jsonBytes(declaredOf(definitions, values));
  if (bytes > MAX_ITEM_BYTES && bytes > jsonBytes(declaredOf(definitions, before)))
    return [tooManyBytes(`have ${bytes} bytes of JSON together; the maximum is ${MAX_ITEM_BYTES}`, { max: MAX_ITEM_BYTES, is: bytes })];
  const stored = storedBytes(values);
  if (stored <= MAX_STORED_BYTES) return [];
  const removed = Object.keys(values).filter((name) => !definitions.has(name));
  const detail = `have ${stored} bytes with the values of fields that were removed; the maximum is ${MAX_STORED_BYTES}`;
  return [tooManyBytes(`${detail}: null removes these, which are ${removed.join(', ')}`, { max: MAX_STORED_BYTES, is: stored })];
}

function tooManyBytes(detail: string, values: { max: number; is: number }): ValueError {
  return { path: [], detail, code: 'too-large', values };
}

function declaredOf(definitions: Definitions, values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => definitions.has(name)));
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The bytes of a value as `jsonb` of PostgreSQL writes it: with blanks, and numbers without an exponent. */
export function storedBytes(value: Value | Values): number {
  if (typeof value === 'number') return decimalLength(value);
  if (typeof value !== 'object') return jsonBytes(value);
  const [inner, names]: [Value[], string[]] = Array.isArray(value) ? [value, []] : [Object.values(value), Object.keys(value)];
  const separators = BLANK_AND_SIGN * (names.length + Math.max(inner.length - 1, 0));
  const ofNames = names.reduce((sum, name) => sum + jsonBytes(name), 0);
  return inner.reduce<number>((sum, each) => sum + storedBytes(each), BRACKETS + separators + ofNames);
}

const [BRACKETS, BLANK_AND_SIGN] = [2, 2];

function decimalLength(value: number): number {
  const text = String(value);
  const [mantissa = '', exponent] = text.split('e-');
  if (exponent === undefined) return text.length;
  const digits = mantissa.replace(/[-.]/g, '').length;
  return (value < 0 ? 1 : 0) + '0.'.length + Number(exponent) - 1 + digits;
}

type Known = { definitions: Definitions; before: Values | undefined };

/** Null removes also what a removed field has left. */
function checkNamed(name: string, value: unknown, { definitions, before = {} }: Known): CheckedValue {
  const definition = definitions.get(name);
  if (value === null && (definition || Object.hasOwn(before, name))) return { value: undefined };
  return definition ? checkValue(value, definition) : { errors: [{ path: [], detail: describeUnknown(definitions) }] };
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
  if (given.length > MAX_VALUES) return { errors: [tooMany(given.length, 'values', MAX_VALUES)] };
  const checked = given.map((each) => checkOne(each, definition));
  const errors = checked.flatMap((each, at) =>
    'errors' in each ? each.errors.map((error) => ({ ...error, path: [at, ...error.path] })) : [],
  );
  if (errors.length > 0) return { errors };
  const values = checked.flatMap((each) => ('value' in each ? [each.value as Scalar | Entry] : []));
  const unique = new Map(values.map((each) => [JSON.stringify(each), each]));
  return { value: values.length === 0 ? undefined : [...unique.values()] };
}

function tooMany(count: number, what: string, max: number): ValueError {
  return { path: [], detail: `has ${count} ${what}; the maximum is ${max}`, code: 'too-many', values: { max, is: count } };
}

function checkOne(value: unknown, definition: Definition): CheckedValue {
  const { type, of = {} } = definition;
  if (type === 'group') return checkEntry(value, of);
  const checked = typeOf(type).check(value, definition);
  if ('value' in checked) return checked;
  return { errors: [{ path: [], ...checked, ...(Array.isArray(value) && { detail: 'must be one value, and not a list' }) }] };
}

function checkEntry(value: unknown, of: Record<string, ScalarType>): CheckedValue {
  const parts = Object.keys(of);
  const example = `must be an object with ${parts.join(' and ')}`;
  if (!isObject(value)) return { errors: [{ path: [], ...wrongType('object', example) }] };
  const names = Object.keys(value);
  if (names.length > parts.length) return { errors: [{ path: [], detail: `${example}, and has ${names.length} parts` }] };
  const unknown = names.filter((name) => !Object.hasOwn(of, name));
  const errors: ValueError[] = unknown.map((name) => ({ path: [name], detail: `is no part: the parts are ${parts.join(' and ')}` }));
  const entry: Entry = {};
  for (const [part, type] of Object.entries(of)) {
    const given = Object.hasOwn(value, part) ? value[part] : undefined;
    const checked = typeOf(type).check(given, partDefinition(type));
    if ('value' in checked) entry[part] = checked.value;
    else errors.push({ path: [part], ...(given === undefined ? { detail: 'is required', code: 'required' } : checked) });
  }
  return errors.length > 0 ? { errors } : { value: entry };
}

export function partDefinition(type: ScalarType): Definition {
  return { type, many: false, label: '', searched: false, facet: false, required: false };
}

/**
 * The values of which documents are made: none, one or many. Their type may have changed since they were stored. Which of its
 * values a field may have changes without a rebuild, so no document depends on it.
 */
export function fittingValues(value: Value | undefined, { values: _, min: __, max: ___, ...shape }: Definition): (Scalar | Entry)[] {
  if (value === undefined) return [];
  const checked = checkValue(value, shape);
  if (!('value' in checked) || checked.value === undefined) return [];
  return Array.isArray(checked.value) ? checked.value : [checked.value];
}

function fits(value: Value | undefined, definition: Definition): boolean {
  return fittingValues(value, definition).length > 0;
}

/** @returns the names of the declared fields whose values do not fit their definitions; they are stored, and neither indexed nor returned */
export function unfitting(values: Values, definitions: Definitions): string[] {
  const isUnfit = ([name, definition]: [string, Definition]): boolean => Object.hasOwn(values, name) && !fits(values[name], definition);
  return [...definitions].filter(isUnfit).map(([name]) => name);
}

/** @returns the names of the declared fields with values that `values`, `min` or `max` do not allow now, and that are indexed */
export function outside(values: Values, definitions: Definitions): string[] {
  const isOutside = ([name, definition]: [string, Definition]): boolean =>
    fits(values[name], definition) && 'errors' in checkValue(values[name], definition);
  return [...definitions].filter(isOutside).map(([name]) => name);
}

/**
 * @returns the values of declared fields as responses have them, in the order of the definitions: those that the index has,
 * so that each is of the type that the OpenAPI document says. One of another type would break the list for a strict client.
 */
export function declaredValues(values: Values, definitions: Definitions): Values {
  return Object.fromEntries(
    [...definitions].flatMap(([name, definition]) =>
      fits(values[name], definition) ? [[name, returnedValue(values[name] as Value, definition)]] : [],
    ),
  );
}

/** @returns what of a definition decides whether and how `declaredValues` has a value */
export function returnedPart({ type, many, of }: Definition): unknown[] {
  return [type, many, of];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
