import type { FieldType, IndexedType } from '../field-type.ts';
import { date } from './date.ts';
import { flag } from './flag.ts';
import { keyword } from './keyword.ts';
import { number } from './number.ts';
import { text } from './text.ts';
import { version } from './version.ts';

/** Each type of scalar value. A group has entries, whose parts are of these types: see `group.ts`. */
export const TYPES = { keyword, number, date, flag, version, text } as const satisfies Record<string, FieldType>;

export type ScalarType = keyof typeof TYPES;
export const SCALAR_TYPES = Object.keys(TYPES) as ScalarType[];

export function typeOf(name: ScalarType): FieldType {
  return TYPES[name];
}

/** Of a type that is not only searched. */
export function indexedType(name: ScalarType): IndexedType {
  const { index } = typeOf(name);
  if (!index) throw new Error(`values of the type ${name} are only searched`);
  return index;
}
