import { parse } from '../fields/json.ts';
import { Problem } from '../problems/problem.ts';
import { unreadable, type ReadRecord, type Values } from './record.ts';

type RawJson = { rawJSON: string };
type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;
/** ECMAScript's "JSON.parse source text access", which the types do not have yet. */
const exact = JSON as unknown as {
  parse(text: string, reviver: Reviver): unknown;
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
};

/** Numbers stay as they are written: an id has more digits than a number holds, and 1.10 is another version than 1.1. */
const asWritten: Reviver = (_, value, { source }) => (typeof value === 'number' && source !== undefined ? exact.rawJSON(source) : value);

/** What reads an object calls itself for each level: without a limit, the memory for that ends, and the import with it. */
const DEPTH_MAX = 500;

function isDeeper(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEPTH_MAX) return true;
    level = level.flatMap((each) => Object.values(each as object) as unknown[]).filter((each) => typeof each === 'object' && each !== null);
  }
  return false;
}

/** Reads an object of JSON. One that is nested more than 500 times is an error. */
export function readObject(bytes: Buffer): ReadRecord {
  try {
    const value = parse(bytes);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return unreadable(`is ${kindOf(value)}, and must be a JSON object`);
    if (isDeeper(value)) return unreadable(`has lists or objects within each other more than ${DEPTH_MAX} times`);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { errors: error.errors ?? [{ detail: error.message }] };
  }
  return { values: exact.parse(bytes.toString(), asWritten) as Values };
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value === 'string' ? 'text' : typeof value}`;
}

/** @returns the text of a value that is no list and no object; undefined for others, and for null */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return exact.isRawJSON(value) ? value.rawJSON : undefined;
}

/** Whether it is a number of JSON, which has a decimal point in every language. */
export function isNumber(value: unknown): boolean {
  return exact.isRawJSON(value);
}

/**
 * @param path the name of a column, or those of JSON within each other, with dots: `author.name`, `tags.label`, `images.0.file`
 * @returns what is there; of a list of objects, those of all; undefined if there is nothing
 */
export function valueAt(values: Values, path: string): unknown {
  if (Object.hasOwn(values, path)) return values[path];
  let found: unknown = values;
  for (const step of path.split('.')) found = within(found, step);
  return found;
}

function within(value: unknown, step: string): unknown {
  if (Array.isArray(value))
    return /^\d+$/.test(step) ? (value as unknown[])[Number(step)] : (value as unknown[]).flatMap((each) => within(each, step) ?? []);
  return typeof value === 'object' && value !== null && Object.hasOwn(value, step) ? (value as Values)[step] : undefined;
}

const PATHS_MAX = 200;

/** @returns the paths of the texts and lists of objects, for errors and suggestions */
export function pathsIn(objects: Values[]): string[] {
  const paths = new Set<string>();
  const add = (value: unknown, path: string): void => {
    if (paths.size >= PATHS_MAX) return;
    const inner = Array.isArray(value) ? (value as unknown[]).find(isObject) : value;
    if (isObject(inner)) for (const [name, each] of Object.entries(inner)) add(each, path === '' ? name : `${path}.${name}`);
    else if (path !== '') paths.add(path);
  };
  for (const object of objects) add(object, '');
  return [...paths];
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !exact.isRawJSON(value);
}
