import { listOr } from '../../messages/format.ts';
import { labelOf, typeAt } from './declared-fields.ts';
import { t } from '../../messages/texts.ts';

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
  const text = listOr(values.map((value) => describeValue(path, value)));
  return t('fieldIs', { label: labelOf(path), value: isOneRange ? describeValue(path, `${from}..${to}`) : text });
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

const TEXTS = { '>=': 'atLeast', '<=': 'atMost', '>': 'above', '<': 'below' } as const;

export function describeValue(path: string, value: string): string {
  if (typeAt(path) === 'flag') return t(value === 'true' ? 'isTrue' : 'isFalse');
  return isRanged(path) ? describeRange(value) : value;
}

function describeRange(value: string): string {
  const { from, to } = endsOf([value]);
  if (from !== '' && to !== '') return t('range', { from, to });
  const end = from === '' ? `<=${to}` : `>=${from}`;
  const [, sign = '', plain = ''] = /^([<>]=?)?(.*)$/s.exec(hasEnds(value) ? end : value) ?? [];
  return sign in TEXTS ? t(TEXTS[sign as keyof typeof TEXTS], { value: plain.trim() }) : plain.trim();
}

/** In the values of other types, all signs are plain. */
function isRanged(path: string): boolean {
  return ['number', 'date', 'version'].includes(typeAt(path) ?? '');
}
