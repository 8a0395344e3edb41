import type { Definitions } from '@ugc/fields/definition';
import { stemOf } from '../fields/meant-names.ts';

const [FIELD_NAME_MAX, LABEL_MAX] = [40, 60];

/** @returns the name of a column of JSON within what it is in: `author.name` */
export function lastOf(column: string): string {
  return column.split('.').at(-1) ?? '';
}

/** What people may call the field of a column whose name a field cannot have. */
export function labelOf(column: string): string {
  return [...lastOf(column).trim()].slice(0, LABEL_MAX).join('');
}

/** Whether a column has the name of a field, or as another program writes it. */
export function isNamed(column: string, field: string): boolean {
  return [column, lastOf(column)].some((each) => stemOf(each) === stemOf(field));
}

/** @returns a name for the field of a column that no other one has, `field2` for one without Latin letters */
export function fieldName(column: string, declared: Definitions, others: object): string {
  const words = lastOf(column).split(/[^A-Za-z0-9]+/).filter((word) => word !== ''); // prettier-ignore
  const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
  const joined = words.map((word, at) => (at === 0 ? word.slice(0, 1).toLowerCase() + word.slice(1) : capital(word))).join('');
  const name = (/^[a-z]/.test(joined) ? joined : `field${joined}`).slice(0, FIELD_NAME_MAX);
  let free = name;
  for (let n = 2; free in others || declared.has(free); n += 1) free = `${name.slice(0, FIELD_NAME_MAX - String(n).length)}${n}`;
  return free;
}
