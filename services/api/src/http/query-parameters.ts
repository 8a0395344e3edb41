import { z } from 'zod';
import { badRequest, type ErrorDetail } from './problem.ts';

/** One occurrence of a parameter: its decoded value and the `name=value` pair as received. */
export type Occurrence = { value: string; encoded: string };

/**
 * Returns a function that parses a query string. It reports the first problem of each parameter as a Problem 400, and
 * ignores parameters that are not in `schema`. Requests give few of the parameters, so only those are parsed each time.
 * @param schema the schema of each parameter, whose input is the list of its occurrences
 * @param check returns the problems of values that are valid by themselves
 */
export function queryParser<S extends z.ZodObject>(schema: S, check: (values: z.output<S>) => ErrorDetail[] = () => []) {
  const schemas = new Map(Object.entries<z.ZodType>(schema.shape));
  const absent = schema.parse(Object.fromEntries([...schemas.keys()].map((name) => [name, []])));
  return (queryString: string): z.output<S> => {
    const errors: ErrorDetail[] = [];
    const given: Record<string, unknown> = {};
    for (const [parameter, occurrences] of occurrencesOf(schemas, queryString)) {
      const parsed = schemas.get(parameter)?.safeParse(occurrences);
      if (parsed?.success) given[parameter] = parsed.data;
      else errors.push({ parameter, detail: parsed?.error.issues[0]?.message ?? 'is not valid' });
    }
    const values: z.output<S> = { ...absent, ...given };
    if (errors.length === 0) errors.push(...check(values));
    if (errors.length > 0) throw badRequest('Some parameters are not valid.', errors);
    return values;
  };
}

function occurrencesOf(schemas: Map<string, z.ZodType>, queryString: string): Map<string, Occurrence[]> {
  const occurrences = new Map<string, Occurrence[]>();
  for (const encoded of queryString.split('&')) {
    for (const [name, value] of new URLSearchParams(encoded)) {
      if (!schemas.has(name)) continue;
      const earlier = occurrences.get(name);
      if (earlier) earlier.push({ value, encoded });
      else occurrences.set(name, [{ value, encoded }]);
    }
  }
  return occurrences;
}

// The schemas of query parameters. The input of each is the list of the parameter's occurrences.

type Context = z.core.$RefinementCtx;

/** A parameter that may be given once. A blank value counts as absent. */
export function single<S extends z.ZodType>(schema: S, parse: (text: string) => unknown = String) {
  return z.preprocess((occurrences: Occurrence[], ctx) => {
    if (occurrences.length > 1) return addIssue(ctx, 'must be given only once');
    const [text] = validValues(withoutBlank(occurrences), ctx) ?? [];
    return text === undefined ? undefined : parse(text);
  }, schema);
}

type Repetition = { max: number; parse?: (text: string) => unknown };

/** A parameter that may be given up to `max` times, not counting blanks. Without values, `list` receives undefined. */
export function repeatable<S extends z.ZodType>(list: S, { max, parse = String }: Repetition) {
  return z
    .preprocess((occurrences: Occurrence[], ctx) => {
      const given = withoutBlank(occurrences);
      // The count is checked first, so that the values of a long query string are not.
      if (given.length > max) return addIssue(ctx, `must be given at most ${max} times`);
      return validValues(given, ctx)?.map((text) => parse(text));
    }, list)
    .meta({ maxItems: max });
}

export function flag<const V extends string>(flagValue: V) {
  return z.preprocess(
    (occurrences: Occurrence[]) => {
      const values = withoutBlank(occurrences).map(({ value }) => value);
      return values.find((value) => value !== flagValue) ?? values[0];
    },
    z.enum([flagValue], `must be ${flagValue}`).optional(),
  );
}

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
function validValues(occurrences: Occurrence[], ctx: Context): string[] | undefined {
  if (!occurrences.every(({ encoded }) => isEncodedUtf8(encoded))) return addIssue(ctx, 'must be percent-encoded UTF-8');
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

/** With an issue during preprocessing, the schema of the parameter is skipped. */
function addIssue(ctx: Context, message: string): undefined {
  ctx.addIssue({ code: 'custom', message });
}
