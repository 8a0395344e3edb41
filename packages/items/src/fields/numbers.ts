import { z } from 'zod';
import { coded, type Coded } from '../problems/error-codes.ts';

/** The type is that of JSON Schema. */
export type NumberLimits = { type: 'integer' | 'number'; min: number; max: number };

/** @returns what is wrong with a number, for programs; NaN is none */
export function faultOfNumber(value: number, { type, min, max }: NumberLimits): Coded | undefined {
  if (Number.isNaN(value)) return coded('wrong-type', { expected: 'number' });
  if (value < min || value > max || Object.is(value, -0)) return coded('out-of-range', { min, max });
  return type === 'integer' && !Number.isInteger(value) ? coded('wrong-type', { expected: type }) : undefined;
}

/** Of a body. */
export function integerFrom(min: number, max: number) {
  const rule = `must be an integer from ${min} to ${max}`;
  const type = 'integer';
  return z
    .number({ error: ({ input }) => (input === undefined ? 'is required' : rule) })
    .check(({ value, issues }) => {
      const params = faultOfNumber(value, { type, min, max });
      if (params) issues.push({ code: 'custom', message: rule, params, input: value });
    })
    .meta({ type, minimum: min, maximum: max });
}
