import { isBlank } from '@ugc/text/words/is-blank';
import { z } from 'zod';
import { nameReader, type ReadName } from './parameter-names.ts';
import { coded, codeOf, type Coded } from '@ugc/items/problems/error-codes';
import { parseTime } from '@ugc/items/fields/times';
import { badRequest, type ErrorDetail } from '@ugc/items/problems/problem';

/** One occurrence of a parameter: its decoded value and the `name=value` pair as received. */
export type Occurrence = { value: string; encoded: string };

/** Reports the first problem of each parameter. Requests give few of the parameters, so only those are parsed each time. */
export function queryParser<S extends z.ZodObject>(schema: S, check: (values: z.output<S>) => ErrorDetail[] = () => []) {
  const schemas = new Map(Object.entries<z.ZodType>(schema.shape));
  const readName = nameReader(Array.from(schemas, ([name, schema]) => ({ name, isRepeatable: REPEATABLE.get(schema) !== undefined })));
  const absent = schema.parse(Object.fromEntries([...schemas.keys()].map((name) => [name, []])));
  return (queryString: string): z.output<S> => {
    const { occurrences, errors } = readOccurrences(queryString, readName);
    const given: Record<string, unknown> = {};
    for (const [parameter, ofParameter] of occurrences) {
      const parsed = schemas.get(parameter)?.safeParse(ofParameter);
      if (parsed?.success) given[parameter] = parsed.data;
      else errors.push({ parameter, ...errorOf(parsed?.error.issues[0]) });
    }
    const values: z.output<S> = { ...absent, ...given };
    if (errors.length === 0) errors.push(...check(values));
    if (errors.length > 0) throw badRequest('invalid-parameters', 'Some parameters are not valid.', errors);
    return values;
  };
}

/** The input of a schema is a list of texts, so that none of its issues says that the parameter is missing. */
function errorOf(issue: z.core.$ZodIssue | undefined): Omit<ErrorDetail, 'parameter'> {
  return issue ? { detail: issue.message, ...codeOf({ ...issue, path: [] }, issue) } : { detail: 'is not valid' };
}

/** A longer name is cut in the error. */
const NAME_MAX = 100;

function readOccurrences(queryString: string, readName: ReadName): { occurrences: Map<string, Occurrence[]>; errors: ErrorDetail[] } {
  const occurrences = new Map<string, Occurrence[]>();
  const problems = new Map<string, string>();
  const pairs = queryString.split('&').filter((pair) => pair !== '');
  for (const encoded of pairs) {
    for (const [written, value] of new URLSearchParams(encoded)) {
      const name = readName(written, pairs.length);
      if (!name) continue;
      const ofName = occurrences.get(name.parameter) ?? [];
      if (name.problem !== undefined) {
        // Blank parameters count as absent.
        if (!isBlank(value)) problems.set(written, name.problem);
      } else if (ofName.push({ value, encoded }) === 1) occurrences.set(name.parameter, ofName);
    }
  }
  return { occurrences, errors: [...problems].map(([written, detail]) => ({ parameter: written.slice(0, NAME_MAX), detail })) };
}

// The schemas of query parameters. The input of each is the list of the parameter's occurrences.

type Context = z.core.$RefinementCtx;

/** The schemas of parameters that may be repeated, also after `meta` or `describe`. */
const REPEATABLE = z.registry<{ isRepeatable: true }>();

function markRepeatable<S extends z.ZodType>(schema: S): S {
  REPEATABLE.add(schema, { isRepeatable: true });
  return schema;
}

/** A parameter that may be given once. A blank value counts as absent. */
export function single<S extends z.ZodType>(schema: S, parse: (text: string) => unknown = String) {
  return z.preprocess((occurrences: Occurrence[], ctx) => {
    const given = occurrences.filter(isVisible);
    if (given.length > 1) return addIssue(ctx, 'must be given only once', coded('too-many', { max: 1, is: given.length }));
    const [text] = validValues(given, ctx) ?? [];
    return text === undefined ? undefined : parse(text);
  }, schema);
}

/** `isGiven` decides which occurrences count; the default is those that are not blank. */
type Repetition = { max: number; parse?: (text: string) => unknown; isGiven?: (occurrence: Occurrence) => boolean };

/** A parameter that may be given up to `max` times. Without values, `list` receives undefined. */
export function repeatable<S extends z.ZodType>(list: S, { max, parse = String, isGiven = isVisible }: Repetition) {
  const schema = z.preprocess((occurrences: Occurrence[], ctx) => {
    const given = occurrences.filter(isGiven);
    // The count is checked first, so that the values of a long query string are not.
    if (given.length > max) return addIssue(ctx, `must be given at most ${max} times`, coded('too-many', { max, is: given.length }));
    return validValues(given, ctx)?.map((text) => parse(text));
  }, list);
  return markRepeatable(schema).meta({ maxItems: max });
}

/** A parameter whose occurrences are some of these values. */
export function flags<const V extends string>(values: V[]) {
  const schema = z.preprocess(
    (occurrences: Occurrence[]) => occurrences.filter(isVisible).map(({ value }) => value),
    z.array(z.enum(values, `must be ${values.join(', ').replace(/, (?=[^,]*$)/, ' or ')}`)),
  );
  return markRepeatable(schema);
}

export function boolean(byDefault: boolean) {
  const text = z.enum(['true', 'false'], 'must be true or false').default(byDefault ? 'true' : 'false');
  return single(text.meta({ type: 'boolean', enum: undefined, default: byDefault }));
}

const DECIMAL = /^-?\d+(\.\d+)?$/;

/** @returns NaN for what is no number in decimal notation */
export function parseNumber(text: string): number {
  return DECIMAL.test(text) ? Number(text) : NaN;
}

/** @returns milliseconds since 1970 */
export function time() {
  const rule = 'must be a date such as 2026-11-20, or a time with an offset such as 2026-11-20T09:30:00+00:00';
  const read = (text: string, ctx: Context): number => {
    const ms = parseTime(text);
    if (Number.isNaN(ms)) addIssue(ctx, rule, coded('wrong-type', { expected: 'time' }));
    return ms;
  };
  return z.string().transform(read).meta({ pattern: TIME_PATTERN });
}

/** The form of what `parseTime` reads, as the OpenAPI document says it. Generators cannot compile a choice of two formats. */
const TIME_PATTERN = '^(\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?(Z|[-+ ]\\d{2}:?\\d{2}))?)?$';

function isVisible({ value }: Occurrence): boolean {
  return !isBlank(value);
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
function addIssue(ctx: Context, message: string, params: Coded = {}): undefined {
  ctx.addIssue({ code: 'custom', message, params });
}
