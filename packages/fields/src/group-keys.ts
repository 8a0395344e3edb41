import type { Definition } from './definition.ts';
import type { Scalar } from './field-type.ts';
import { SEPARATOR } from './types/texts.ts';
import { indexedType } from './types/types.ts';
import type { Entry } from './values.ts';

/**
 * An entry of a group has a key for each choice of some of its parts, one of which is the last: so a term finds entries by
 * the values of these parts, and a range of terms by the last one. A key is the names of the parts, their terms, and
 * separators. Nested documents would do the same, and are refused by a sorted index.
 */
export function entryKeys(entry: Entry, of: NonNullable<Definition['of']>): string[] {
  const parts = Object.keys(of);
  return parts.flatMap((last) =>
    choices(parts.filter((part) => part !== last)).map(
      (others) =>
        keyOf(
          others.map((part) => termOf(of, part, entry[part])),
          { others, last },
        ) + termOf(of, last, entry[last]),
    ),
  );
}

/** Which parts a key has: `last` has the range. */
export type KeyParts = { others: string[]; last: string };

/**
 * The names are one text, so that no beginning is one of keys with more parts.
 * @param terms of the others, in their order · @returns the beginning of the keys, which the term of the last part follows
 */
export function keyOf(terms: string[], { others, last }: KeyParts): string {
  return [[...others, last].join('.'), ...terms].map((text) => text + SEPARATOR).join('');
}

function termOf(of: NonNullable<Definition['of']>, part: string, value: Scalar | undefined): string {
  const type = of[part];
  return type === undefined || value === undefined ? '' : indexedType(type).term(value);
}

/** All choices of some of them, in their order. */
function choices(parts: string[]): string[][] {
  const [first, ...others] = parts;
  if (first === undefined) return [[]];
  return choices(others).flatMap((chosen) => [chosen, [first, ...chosen]]);
}

/** The end of the range of all keys with a beginning, which ends with a separator: a text that follows them at once. */
export function afterKeys(beginning: string): string {
  return `${beginning.slice(0, -SEPARATOR.length)}\u0001`;
}
