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
  const { from, to } = endsOf(values);
  const isOneRange = isRanged(path) && values.length === 2 && values.every(hasEnds) && from !== '' && to !== '';
  const text = values.map((value) => describeValue(path, value)).join(' or ');
  return `${labelOf(path)}: ${isOneRange ? describeValue(path, `${from}..${to}`) : text}`;
}

/** The ends that are included: an empty text for none. */
export type Ends = { from: string; to: string };

const ENDS = [/^>=(?<from>.+)$/, /^<=(?<to>.+)$/, /^(?<from>.*?)\.\.(?<to>.*)$/];

/** @param values such as `>=4` and `<=8`, or `4..8` */
export function endsOf(values: string[]): Ends {
  const found = values.flatMap((value) => ENDS.map((form) => form.exec(value)?.groups));
  const end = (name: keyof Ends): string => found.find((groups) => groups?.[name])?.[name] ?? '';
  return { from: end('from'), to: end('to') };
}

/** Whether the value of a condition on numbers, days or versions is what `endsOf` reads. */
export function hasEnds(value: string): boolean {
  return ENDS.some((form) => form.test(value));
}

export function describeCondition(condition: string): string {
  return describeConditions([condition]);
}

const WORDS: Record<string, string> = { '>=': 'at least', '<=': 'at most', '>': 'above', '<': 'below' };

export function describeValue(path: string, value: string): string {
  if (typeAt(path) === 'flag') return value === 'true' ? 'yes' : 'no';
  if (!isRanged(path)) return value;
  const { from, to } = endsOf([value]);
  if (from !== '' && to !== '') return `${from} to ${to}`;
  const sign = from === '' ? '<=' : '>=';
  return (hasEnds(value) ? `${sign}${from}${to}` : value).replace(/^[<>]=?/, (found) => `${WORDS[found]} `).trim();
}

/** In the values of other types, all signs are plain. */
function isRanged(path: string): boolean {
  return ['number', 'date', 'version'].includes(typeAt(path) ?? '');
}
