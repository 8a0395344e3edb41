import type { DeclaredField } from '@ugc/shared/contracts/declared-field';
import { language } from '../../messages/texts.ts';
import { declaredFields } from '../location/declared-fields.ts';

/** What is typed for a declared field: a text, with a line for each of many values; the entries of a group by their parts. */
export type FieldDraft = string | EntryDraft[];
export type EntryDraft = Record<string, string>;
export type FieldKey = `fields.${string}`;
export type FieldDrafts = Record<FieldKey, FieldDraft | undefined>;

/** The key of a field in a draft, and of its error. */
export function fieldKey(name: string): FieldKey {
  return `fields.${name}`;
}

export function isFieldKey(key: string): key is FieldKey {
  return key.startsWith('fields.');
}

/** @param values those of an item */
export function toFieldDrafts(values: Record<string, unknown> = {}): FieldDrafts {
  return Object.fromEntries(declaredFields.map((field) => [fieldKey(field.name), toFieldDraft(field, values[field.name])]));
}

function toFieldDraft({ type, of = {} }: DeclaredField, value: unknown): FieldDraft {
  const values: unknown[] = [value ?? []].flat();
  if (type !== 'group') return values.map((each) => written(type, each)).join('\n');
  // A value of an earlier type is no entry.
  const entries = values.filter((entry) => typeof entry === 'object' && entry !== null);
  return entries.map((entry) => Object.fromEntries(Object.entries(entry).map(([part, each]) => [part, written(of[part], each)])));
}

function written(type: string | undefined, value: unknown): string {
  return type === 'number' && typeof value === 'number' ? numberText(String(value)) : plainText(value);
}

/** @returns the text of a value of any type, also of an earlier one than its field has */
export function plainText(value: unknown): string {
  return typeof value === 'object' && value !== null ? Object.values(value).map(String).join(', ') : String(value);
}

/** @returns the body's `fields`: null for those without a value */
export function toFields(drafts: Partial<FieldDrafts>, names: string[]): Record<string, unknown> {
  const declared = declaredFields.filter(({ name }) => names.includes(name));
  return Object.fromEntries(declared.map((field) => [field.name, toValue(field, drafts[fieldKey(field.name)] ?? '')]));
}

function toValue({ type, many, of = {} }: DeclaredField, draft: FieldDraft): unknown {
  const isEntry = (entry: EntryDraft): boolean => Object.values(entry).some((text) => text.trim() !== '');
  const values =
    typeof draft === 'string'
      ? textsOf(draft, many).map((text) => toScalar(type, text))
      : draft
          .filter(isEntry)
          .map((entry) => Object.fromEntries(Object.entries(of).map(([part, partType]) => [part, toScalar(partType, entry[part] ?? '')])));
  if (values.length === 0) return null;
  return many ? values : values[0];
}

function textsOf(draft: string, many: boolean): string[] {
  const texts = many ? draft.split('\n').map((line) => line.trim()) : [draft];
  return texts.filter((text) => text.trim() !== '');
}

/** What stands before a fraction in the language. */
function pointOf(code: string): string {
  return new Intl.NumberFormat(code).format(1.5).includes(',') ? ',' : '.';
}

/** @param number as in JSON @returns what `toNumber` reads */
export function numberText(number: string, code: string = language): string {
  return number.replace('.', pointOf(code));
}

/** Not 0,125 and 1234,567. */
const IN_GROUPS = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/;

/** @returns undefined for what is none, and for 1,234 in English and 1.234 in German, which some people mean as a thousand and others as a fraction */
export function toNumber(text: string, code: string = language): number | undefined {
  if (!/^[+-]?\d{1,16}([.,]\d+)?(e[+-]?\d{1,2})?$/i.test(text) || (IN_GROUPS.test(text) && !text.includes(pointOf(code)))) return undefined;
  return Number(text.replace(',', '.'));
}

/** The API says what is wrong with a text that is no value. */
function toScalar(type: string, text: string): unknown {
  const trimmed = text.trim();
  if (type === 'number') return toNumber(trimmed) ?? trimmed;
  if (type === 'flag') return trimmed === 'true' || (trimmed === 'false' ? false : trimmed);
  return type === 'text' ? text : trimmed || undefined;
}
