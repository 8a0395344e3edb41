import { labelOf, typeAt } from './declared-fields.ts';

/** A condition on a declared field, or on a part of a group: `build.game:1.20` has the path `build.game`. */
type Condition = { path: string; value: string };

export function readCondition(condition: string): Condition {
  const [path = '', ...value] = condition.split(':');
  return { path, value: value.join(':') };
}

/** @param conditions on the same path */
export function describeConditions(conditions: string[]): string {
  const { path } = readCondition(conditions[0] ?? '');
  const values = conditions.map((condition) => readCondition(condition).value);
  const [from, to] = ['>=', '<='].map((sign) => values.find((value) => value.startsWith(sign))?.slice(2));
  const isRange = values.length === 2 && isRanged(path) && from !== undefined && to !== undefined;
  const text = isRange ? `${from} to ${to}` : values.map((value) => describeValue(path, value)).join(' or ');
  return `${labelOf(path)}: ${text}`;
}

export function describeCondition(condition: string): string {
  return describeConditions([condition]);
}

const WORDS: Record<string, string> = { '>=': 'at least', '<=': 'at most', '>': 'above', '<': 'below' };

export function describeValue(path: string, value: string): string {
  if (typeAt(path) === 'flag') return value === 'true' ? 'yes' : 'no';
  return isRanged(path)
    ? value
        .replace(/^([<>]=?)/, (sign) => `${WORDS[sign]} `)
        .replace('..', ' to ')
        .trim()
    : value;
}

/** In the values of other types, all signs are plain. */
function isRanged(path: string): boolean {
  return ['number', 'date', 'version'].includes(typeAt(path) ?? '');
}
