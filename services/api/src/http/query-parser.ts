import type { z } from 'zod';
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
