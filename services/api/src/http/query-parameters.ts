import { z } from 'zod';
import type { Occurrence } from './query-parser.ts';

// The schemas of query parameters. The input of each is the list of the parameter's occurrences.

type Payload = z.core.ParsePayload;
type Preprocessed<S extends z.ZodType> = z.ZodPreprocess<S, Occurrence[]>;

/**
 * As `z.preprocess`, whose functions get a new method for each value. A function that is assigned to a property is
 * allocated in V8's old generation, and with it the value stays in memory until the next collection of the complete heap.
 */
function preprocess<S extends z.ZodType>(read: (occurrences: Occurrence[], payload: Payload) => unknown, schema: S) {
  const transform = read as z.core.$ZodTransformDef['transform'];
  return new z.ZodPreprocess({
    type: 'pipe',
    in: new z.core.$ZodTransform({ type: 'transform', transform }),
    out: schema,
  }) as Preprocessed<S>;
}

/** A parameter that may be given once. A blank value counts as absent. */
export function single<S extends z.ZodType>(schema: S, parse: (text: string) => unknown = String) {
  return preprocess((occurrences, payload) => {
    if (occurrences.length > 1) return addIssue(payload, 'must be given only once');
    const [text] = validValues(withoutBlank(occurrences), payload) ?? [];
    return text === undefined ? undefined : parse(text);
  }, schema);
}

type Repetition = { max: number; parse?: (text: string) => unknown };

/** A parameter that may be given up to `max` times, not counting blanks. Without values, `list` receives undefined. */
export function repeatable<S extends z.ZodType>(list: S, { max, parse = String }: Repetition) {
  return preprocess((occurrences, payload) => {
    const given = withoutBlank(occurrences);
    // The count is checked first, so that the values of a long query string are not.
    if (given.length > max) return addIssue(payload, `must be given at most ${max} times`);
    return validValues(given, payload)?.map((text) => parse(text));
  }, list).meta({ maxItems: max });
}

/** A parameter with one possible value. It may be repeated. */
export function flag<const V extends string>(flagValue: V) {
  return preprocess(
    (occurrences) => {
      const values = withoutBlank(occurrences).map(({ value }) => value);
      return values.find((value) => value !== flagValue) ?? values[0];
    },
    z.enum([flagValue], `must be ${flagValue}`).optional(),
  );
}

/** `true` or `false`: the text of JSON's values. */
export function boolean(byDefault: boolean) {
  const text = z.enum(['true', 'false'], 'must be true or false').default(byDefault ? 'true' : 'false');
  return single(text.meta({ type: 'boolean', enum: undefined, default: byDefault }));
}

export function integer({ min, max }: { min: number; max: number }) {
  const error = `must be an integer from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

export function decimal({ min, max }: { min: number; max: number }) {
  const error = `must be a number from ${min} to ${max} in decimal notation`;
  return z.number({ error }).min(min, { error }).max(max, { error });
}

/** A point in time. Its value is the number of milliseconds since 1970. */
export function time() {
  const error = 'must be a date such as 2026-11-20, or a time with an offset such as 2026-11-20T09:30:00+00:00';
  const anyOf = ['date-time', 'date'].map((format) => ({ type: 'string', format }));
  return z.number({ error }).meta({ type: 'string', anyOf });
}

const IsoDate = z.iso.date();
const IsoTime = z.iso.datetime({ offset: true });

/**
 * Parses a date, which begins at midnight UTC, or a time with an offset. A fraction of a millisecond is rounded up,
 * because times are stored in milliseconds. A space before the offset is read as a plus that was not percent-encoded.
 * @returns NaN unless the text is an ISO 8601 date or a time with an offset
 */
export function parseTime(text: string): number {
  const iso = text.replace(/ (?=\d{2}:\d{2}$)/, '+');
  if (!IsoDate.safeParse(iso).success && !IsoTime.safeParse(iso).success) return NaN;
  const isFractional = /\.\d{3}\d*[1-9]/.test(iso);
  return Date.parse(iso) + (isFractional ? 1 : 0);
}

/** @returns NaN unless the text consists of 1 to 16 digits */
export function parseInteger(text: string): number {
  return /^\d{1,16}$/.test(text) ? Number(text) : NaN;
}

/** @returns NaN unless the text is in unsigned decimal notation without an exponent */
export function parseDecimal(text: string): number {
  return /^\d{1,16}(\.\d{1,30})?$/.test(text) ? Number(text) : NaN;
}

function withoutBlank(occurrences: Occurrence[]): Occurrence[] {
  return occurrences.filter(({ value }) => value.trim() !== '');
}

// URLSearchParams replaces invalid UTF-8 by U+FFFD without an error.
function validValues(occurrences: Occurrence[], payload: Payload): string[] | undefined {
  if (!occurrences.every(({ encoded }) => isEncodedUtf8(encoded))) return addIssue(payload, 'must be percent-encoded UTF-8');
  return occurrences.length === 0 ? undefined : occurrences.map(({ value }) => value);
}

function isEncodedUtf8(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** An issue during preprocessing skips the schema of the parameter. */
function addIssue({ issues, value }: Payload, message: string): undefined {
  issues.push({ code: 'custom', message, input: value });
}
