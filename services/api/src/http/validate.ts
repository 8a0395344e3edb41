import type { z } from 'zod';
import { badRequest, type ErrorDetail } from './problem.ts';

/**
 * Reports the problems of a body together, each with an RFC 6901 pointer as a URI fragment.
 * @throws Problem 400
 */
export function validate<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw badRequest('The body is not valid.', parsed.error.issues.map(toFault));
}

function toFault({ path, message }: z.core.$ZodIssue): ErrorDetail {
  const pointer = path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return { pointer: `#${pointer}`, detail: message };
}
