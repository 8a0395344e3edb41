import { wrongType, type Checked, type FieldType, type Scalar } from '../field-type.ts';
import { fixedTerms } from './number.ts';

const INVALID = wrongType('date', 'must be a day of the calendar, such as "2026-11-20"');

/** A day, without a time. */
export const date: FieldType = {
  check: (value) => (typeof value === 'string' ? parse(value) : INVALID),
  parse,
  schema: () => ({ type: 'string', format: 'date' }),
  example: '2026-11-20',
  rangeExample: '>=2026-01-01 or 2026-01-01..2026-12-31',
  index: {
    // Pages name times in milliseconds.
    property: { type: 'date', format: 'strict_date||epoch_millis' },
    key: String,
    range: (limits) => limits,
    term: String,
    terms: (limits) => fixedTerms(limits, String),
    shown: (ms) => new Date(ms).toISOString().slice(0, 10),
    shownTerm: String,
  },
};

function parse(text: string): Checked<Scalar> {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  // The 30th of February would be a day of March.
  const isDay = !Number.isNaN(ms) && text > '0001' && new Date(ms).toISOString().startsWith(text);
  return isDay ? { value: text } : INVALID;
}
