import { STATUS_CODES } from 'node:http';
import { z } from 'zod';

const ErrorDetail = z.object({ pointer: z.string().optional(), parameter: z.string().optional(), detail: z.string() });
/** One problem of a request, with either a JSON pointer into its body or the name of a parameter. */
export type ErrorDetail = z.infer<typeof ErrorDetail>;

export const ProblemDetails = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string(),
    instance: z.string(),
    requestId: z.string(),
    errors: z
      .array(ErrorDetail)
      .optional()
      .describe('The first 100 problems, each with a JSON pointer into the body or the name of a parameter.'),
    errorsOmitted: z.int().min(1).optional().describe('The number of further problems that `errors` does not list.'),
  })
  .meta({ id: 'Problem' });
export type ProblemDetails = z.infer<typeof ProblemDetails>;

type Extras = { errors?: ErrorDetail[] | undefined; errorsOmitted?: number; headers?: Record<string, string>; cause?: unknown };

/** An error response. Clients see `detail`, so it must not reveal internals. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly errors: ErrorDetail[] | undefined;
  readonly errorsOmitted: number;
  readonly headers: Record<string, string>;

  constructor(status: number, detail: string, { errors, errorsOmitted = 0, headers = {}, cause }: Extras = {}) {
    super(detail, { cause });
    this.status = status;
    this.errors = errors;
    this.errorsOmitted = errorsOmitted;
    this.headers = headers;
  }
}

const ERRORS_MAX = 100;

export function badRequest(detail: string, errors: ErrorDetail[]): Problem {
  return new Problem(400, detail, { errors: errors.slice(0, ERRORS_MAX), errorsOmitted: Math.max(0, errors.length - ERRORS_MAX) });
}

export function invalidToken(cause?: unknown): Problem {
  return new Problem(403, 'A valid bearer token is required in the Authorization header.', { cause });
}

export function internalError(): Problem {
  return new Problem(500, 'An internal error occurred. The log contains its cause under this request id.');
}

/** Nothing was done, and the same request may succeed a short while later. */
export function tryAgain(status: number, detail: string, seconds = 1): Problem {
  return new Problem(status, detail, { headers: { 'Retry-After': String(seconds) } });
}

const RETRY_AFTER_SECONDS = 5;

/** A write that was not stored because a store is unavailable, or of which that is unknown. */
export function cannotStore({ isUnknown }: { isUnknown: boolean }): Problem {
  const detail = isUnknown
    ? 'It is unknown whether the change was stored. Repeat the request with the same Idempotency-Key, or read the item first.'
    : 'The service is temporarily unavailable. Nothing was stored; try again.';
  return tryAgain(503, detail, RETRY_AFTER_SECONDS);
}

/** The key server does not respond. Nothing was done. */
export function cannotVerify({ isRead }: { isRead: boolean }): Problem {
  const detail = 'The key server is unavailable, so the token cannot be verified. Nothing was done; try again.';
  return isRead ? new Problem(500, detail) : tryAgain(503, detail, RETRY_AFTER_SECONDS);
}

/** The keys that verify tokens cannot be fetched, so it is unknown whether the token is valid. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

export function problemBody(problem: Problem, instance: string, requestId: string): ProblemDetails {
  return {
    type: 'about:blank',
    title: STATUS_CODES[problem.status] ?? 'Error',
    status: problem.status,
    detail: problem.message,
    instance,
    requestId,
    ...(problem.errors && { errors: problem.errors }),
    ...(problem.errorsOmitted > 0 && { errorsOmitted: problem.errorsOmitted }),
  };
}
