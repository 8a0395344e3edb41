import { STATUS_CODES } from 'node:http';

/** One thing that is wrong with a request: a JSON pointer into its body, or the name of a parameter. */
export type ErrorDetail = { pointer: string; detail: string } | { parameter: string; detail: string };

type Extras = { errors?: ErrorDetail[]; errorsOmitted?: number; headers?: Record<string, string>; cause?: unknown };

/** An answer other than success, as RFC 9457 problem details. `detail` is for the caller: nothing of the inside goes into it. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly errors: ErrorDetail[] | undefined;
  /** How many further errors there are. */
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

/** The most errors that one answer lists; the others are only counted. */
const ERRORS_MAX = 100;

export function badRequest(detail: string, errors: ErrorDetail[]): Problem {
  return new Problem(400, detail, { errors: errors.slice(0, ERRORS_MAX), errorsOmitted: Math.max(0, errors.length - ERRORS_MAX) });
}

/** One body for every reason: who lacks a valid token learns nothing about why. */
export function invalidToken(cause: unknown): Problem {
  return new Problem(403, 'A valid bearer token is required in the Authorization header.', { cause });
}

/** The body of a problem, as application/problem+json. */
export function problemBody(problem: Problem, instance: string, requestId: string) {
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
