import type { z } from 'zod';
import { badRequest, type ErrorDetail } from './problem.ts';

/**
 * Validates a body and reports all of its problems, each with an RFC 6901 JSON pointer as a URI fragment.
 * @throws Problem 400
 */
export function validate<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw badRequest('The body is not valid.', parsed.error.issues.map(toErrorDetail));
}

function toErrorDetail({ path, message }: z.core.$ZodIssue): ErrorDetail {
  const pointer = path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return { pointer: `#${pointer}`, detail: message };
}
