import { z } from 'zod';
import { coded, type Coded } from '../problems/error-codes.ts';

/** The type is that of JSON Schema. */
type Limits = { type: 'integer' | 'number'; min: number; max: number };

export function integerFrom(min: number, max: number) {
  return numberWithin(`must be an integer from ${min} to ${max}`, { type: 'integer', min, max });
}

/** Of a parameter, which is read as a number before; NaN is none. */
export function decimalFrom(min: number, max: number) {
  return numberWithin(`must be a number from ${min} to ${max} in decimal notation`, { type: 'number', min, max });
}

function numberWithin(rule: string, limits: Limits) {
  const { type, min, max } = limits;
  return z
    .number({ error: ({ input }) => (input === undefined ? 'is required' : rule) })
    .check(({ value, issues }) => {
      const params = faultOf(value, limits);
      if (params) issues.push({ code: 'custom', message: rule, params, input: value });
    })
    .meta({ type, minimum: min, maximum: max });
}

function faultOf(value: number, { type, min, max }: Limits): Coded | undefined {
  if (value < min || value > max || Object.is(value, -0)) return coded('out-of-range', { min, max });
  return type === 'integer' && !Number.isInteger(value) ? coded('wrong-type', { expected: type }) : undefined;
}
