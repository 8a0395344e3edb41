import type { z } from 'zod';

type ErrorKind = { description: string; values: string[] };

const kinds = <Code extends string>(table: Record<Code, ErrorKind>): Record<Code, ErrorKind> => table;

/**
 * What can be wrong with a field or a parameter, by which programs decide: a name never changes. An error of another kind
 * has no code. `values`: the names of what an error has besides, if it is known.
 */
export const ERROR_CODES = kinds({
  required: { values: [], description: 'It is missing.' },
  blank: { values: [], description: 'It shows nothing.' },
  'wrong-type': { values: ['expected'], description: 'It is no value of the type, such as `number`, `integer` or `time`.' },
  'out-of-range': { values: ['min', 'max'], description: 'It is smaller or larger than a value may be.' },
  'too-short': { values: ['min', 'is'], description: 'It has too few characters.' },
  'too-long': { values: ['max', 'is'], description: 'It has too many characters.' },
  'too-many': { values: ['max', 'is'], description: 'It has too many values.' },
  'too-large': { values: ['max', 'is'], description: 'It takes too many bytes, or pixels.' },
  'not-one-of': { values: ['allowed'], description: 'It is none of the values that are allowed.' },
});
export type ErrorCode = keyof typeof ERROR_CODES;

/** Numbers and names that `detail` says. */
export type ErrorValues = Record<string, string | number>;
export type Coded = { code?: ErrorCode; values?: ErrorValues };

/** What a check of a schema says of its error, beside the message: `refine(check, { error, params: coded('blank') })`. */
export function coded(code: ErrorCode, values: ErrorValues = {}): Required<Coded> {
  return { code, values };
}

type Issue = z.core.$ZodIssue;

/** @param input what was checked · @returns nothing for a kind of error without a code */
export function codeOf(issue: Issue, input: unknown): Coded {
  const given = issue.path.reduce<unknown>((value, step) => (value as Record<PropertyKey, unknown> | undefined)?.[step], input);
  const { code, values } = kindOf(issue, given);
  if (code === undefined) return {};
  return values && Object.keys(values).length > 0 ? { code, values } : { code };
}

function kindOf(issue: Issue, given: unknown): Coded {
  if (issue.code === 'custom') return (issue.params ?? {}) as Coded;
  if (given === undefined) return coded('required');
  if (issue.code === 'invalid_type') return coded('wrong-type', { expected: issue.expected });
  if (issue.code === 'invalid_value') return coded('not-one-of', { allowed: issue.values.join(', ') });
  if (issue.code === 'too_big') return coded(sizeCode(issue.origin, 'too-long'), { max: Number(issue.maximum) });
  if (issue.code === 'too_small') return coded(sizeCode(issue.origin, 'too-short'), { min: Number(issue.minimum) });
  return {};
}

function sizeCode(origin: string, ofText: ErrorCode): ErrorCode {
  if (origin === 'string') return ofText;
  return origin === 'array' ? 'too-many' : 'out-of-range';
}
