import { MAX_FIELDS, MAX_VALUES } from '@ugc/fields/definition';

// As many declared fields as there may be, of which two are groups, and as many values as an item may have of each.

const GROUPS = 2;
const PARTS = ['a', 'b', 'c'];
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

const names = Array.from({ length: MAX_FIELDS }, (_, n) => (n < GROUPS ? `g${n}` : `k${n}`));
const isGroup = (name: string): boolean => name.startsWith('g');
const letter = (n: number): string => LETTERS[n % LETTERS.length] ?? '';
const times = <T>(count: number, of: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => of(n));

/** The file of `npx pnpm fields apply`. */
export const MOST_FIELDS = Object.fromEntries(
  names.map((name) => [
    name,
    isGroup(name)
      ? { type: 'group', many: true, of: Object.fromEntries(PARTS.map((part) => [part, 'keyword'])) }
      : { type: 'keyword', many: true, searched: name === names.at(-1) },
  ]),
);

/** The values of the item `item`: each of another choice. */
export function mostValues(item: number): object {
  const entry = (n: number): object => ({ a: letter(item + n), b: letter(3 * item + n), c: letter(7 * item + 5 * n) });
  return Object.fromEntries(names.map((name) => [name, times(MAX_VALUES, (n) => (isGroup(name) ? entry(n) : letter(item + n)))]));
}

const groupConditions = times(5, (n) => PARTS.map((part) => `where=g0.${part}:${letter(n)}`)).flat();
const conditions = times(30, (n) => `where=k${2 + n}:${letter(n)}`);
const counted = ['g0.a', 'g0.b', 'g0.c', 'g1.a', 'k2', 'k3', 'k4', 'k5'].map((name) => `facetFields=${name}`);

/** Paths of lists and facets that cost most: many conditions, keys of a group, and facets with choices of their own. */
export const FIELD_REQUESTS = [
  `/api/content?${conditions.join('&')}`,
  `/api/content?${groupConditions.join('&')}&whereNot=k2:a&sort=fields.k3`,
  `/api/content/facets?${[...groupConditions, 'where=k2:a', ...counted].join('&')}`,
  '/api/content?size=200&include=fields',
];
