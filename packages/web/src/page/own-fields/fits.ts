import type { DeclaredField } from '@ugc/shared/contracts/declared-field';

type Type = DeclaredField['type'];

/** Whether a value is of the type that its field has now, as the API checks it: it may be of an earlier one. */
export function fits({ type, many, of = {} }: Pick<DeclaredField, 'type' | 'many' | 'of'>, value: unknown): boolean {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  if (Array.isArray(value) && !many) return false;
  return values.every((each) => (type === 'group' ? fitsGroup(of, each) : fitsType(type, each)));
}

function fitsGroup(of: NonNullable<DeclaredField['of']>, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const parts = Object.entries(of);
  return (
    Object.keys(value).length === parts.length && parts.every(([part, type]) => fitsType(type, (value as Record<string, unknown>)[part]))
  );
}

/** What a condition cannot ask for is none of the type. */
const TEXTS: Partial<Record<Type, RegExp>> = {
  keyword: /^[^\n\r]{1,100}$/u,
  date: /^\d{4}-\d{2}-\d{2}$/,
  version: /^(?![<>])(?!.*\.\.)[^\n\r]{1,64}$/u,
  text: /^/,
};

function fitsType(type: Type, value: unknown): boolean {
  if (type === 'number') return typeof value === 'number';
  return type === 'flag' ? typeof value === 'boolean' : typeof value === 'string' && TEXTS[type]?.test(value) === true;
}
