import { z } from 'zod';
import { parseTime } from '../fields/times.ts';

/** Many serializers write null for a field without a value. */
export function optional<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value) => value ?? undefined);
}

const FIRST_YEAR_MS = Date.parse('0001-01-01');
const DATE_RULE = 'must be a date such as 2026-11-20, or a time with an offset such as 2026-11-20T09:30:00+00:00';

/** The parsed time is in milliseconds since 1970. */
export const pastTime = z
  .string(DATE_RULE)
  .meta({ format: 'date-time' })
  .transform(parseTime)
  .refine((ms) => !Number.isNaN(ms), { error: DATE_RULE, abort: true })
  .refine((ms) => ms <= Date.now(), 'must not be in the future')
  .refine((ms) => ms >= FIRST_YEAR_MS, 'must not be before the year 1');
