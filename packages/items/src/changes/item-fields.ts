import type { Definitions } from '@ugc/fields/definition';
import { mergeValues, type ValueError, type Values } from '@ugc/fields/values';
import { toPointer } from '../fields/json.ts';
import type { ErrorDetail } from '../problems/problem.ts';
import type { Written } from './written-fields.ts';

/** A body may have thousands of wrong names. */
const MAX_ERRORS = 32;

type Merged<Edit> = { edit: Omit<Edit, 'fields'> & { fields?: Values }; errors: ErrorDetail[] };

/**
 * Replaces the merge patch `fields` of an edit with all values that the item has after it. Without declared fields there
 * is none, whatever a request has there: clients may have sent it before fields could be declared.
 * @param before undefined for a new item
 */
export function mergeFields<Edit extends { fields?: unknown }>(
  { fields: given, ...edit }: Edit,
  before: Written | undefined,
  declared: Definitions,
): Merged<Edit> {
  if (declared.size === 0) return { edit, errors: [] };
  const merged = mergeValues(declared, given, before && (before.fields ?? {}));
  if ('errors' in merged) return { edit, errors: merged.errors.slice(0, MAX_ERRORS).map(toErrorDetail) };
  return { edit: given === undefined || given === null ? edit : { ...edit, fields: merged.values }, errors: [] };
}

function toErrorDetail({ path, ...error }: ValueError): ErrorDetail {
  return { pointer: toPointer(['fields', ...path]), ...error };
}

/** What a request says of declared fields, for the hash of an upload: the order of the names does not matter. */
export function givenFields(fields: unknown, declared: Definitions): string | undefined {
  return declared.size === 0 || fields === undefined || fields === null ? undefined : JSON.stringify(fields, sortNames);
}

function sortNames(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
