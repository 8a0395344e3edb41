import { fill, type Key } from '../../messages/fill.ts';
import { language, t, writtenAs } from '../../messages/texts.ts';
import type { ErrorDetail, Problem } from './types.ts';

type Values = Record<string, string | number>;

/** What the page says of an error of a field or a parameter, by its code. */
export const FAULTS: Record<string, Key> = {
  required: 'faultRequired',
  blank: 'faultBlank',
  'out-of-range': 'faultRange',
  'too-short': 'faultShort',
  'too-long': 'faultLong',
  'too-many': 'faultMany',
  'too-large': 'faultLarge',
  'not-one-of': 'faultOneOf',
};

/** What it says of the code `wrong-type`, by what is expected. */
const TYPES: Record<string, Key> = { number: 'faultNumber', integer: 'faultWhole' };

/** What the page says of a problem, by its kind. */
export const PROBLEMS: Record<string, Key> = {
  'rate-exceeded': 'rateExceeded',
  'too-much-at-once': 'tooMuchAtOnce',
  'user-blocked': 'userBlocked',
  'not-creator': 'notCreator',
  'own-item': 'ownItem',
  'edited-since': 'changedByOther',
  'item-hidden': 'itemHidden',
  'item-in-review': 'itemInReview',
  'body-too-large': 'bodyTooLarge',
  'store-unavailable': 'storeUnavailable',
  'result-unknown': 'resultUnknown',
  overloaded: 'overloaded',
  'internal-error': 'internalError',
  'work-too-long': 'workTooLong',
  'scope-missing': 'scopeMissing',
  'upgrade-unfinished': 'upgradeUnfinished',
};

/** @returns undefined for a text that is not loaded, or of which a value is missing: a process of 1.0.0 says none */
function sayIfKnown(key: Key, values: Values): string | undefined {
  const text = writtenAs(key);
  if (typeof text !== 'string') return undefined;
  const isComplete = [...text.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => name in values);
  return isComplete ? fill<string | number>(language, text, values).join('') : undefined;
}

/** A declared number may have one bound alone. */
function keyOf(code: string, { expected, min, max }: Record<string, unknown>): Key | undefined {
  if (code === 'wrong-type') return TYPES[String(expected)];
  if (code !== 'out-of-range' || (min !== undefined && max !== undefined)) return FAULTS[code];
  return max === undefined ? 'faultLeast' : 'faultMost';
}

/** @returns a sentence: in English, that of the service if the page knows no other, or not all of its values */
export function saidFault({ code = '', values = {}, detail }: ErrorDetail): string {
  const key = keyOf(code, values);
  return (key && sayIfKnown(key, values as Values)) ?? t('fault', { detail });
}

export function saidProblem({ type, detail, values = {} }: Pick<Problem, 'type' | 'detail' | 'values'>): string {
  const key = PROBLEMS[type.split('#')[1] ?? ''];
  return (key && sayIfKnown(key, values as Values)) ?? detail;
}

/** Of a form with one field. */
export function saidFailure({ message, errors: [error] }: { message: string; errors: ErrorDetail[] }): string {
  return error ? saidFault(error) : message;
}
