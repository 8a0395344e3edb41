import { z } from 'zod';
import type { ProblemCode } from './problem-kinds.ts';

export const ErrorDetail = z.object({ pointer: z.string().optional(), parameter: z.string().optional(), detail: z.string() });
/** One problem of a request, with either a JSON pointer into its body or the name of a parameter. */
export type ErrorDetail = z.infer<typeof ErrorDetail>;

type Extras = { errors?: ErrorDetail[] | undefined; errorsOmitted?: number; headers?: Record<string, string>; cause?: unknown };

/** An error response. Clients see `detail`, so it must not reveal internals. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly code: ProblemCode;
  readonly errors: ErrorDetail[] | undefined;
  readonly errorsOmitted: number;
  readonly headers: Record<string, string>;

  constructor(status: number, code: ProblemCode, detail: string, { errors, errorsOmitted = 0, headers = {}, cause }: Extras = {}) {
    super(detail, { cause });
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.errorsOmitted = errorsOmitted;
    this.headers = headers;
  }
}

const ERRORS_MAX = 100;

export function badRequest(code: ProblemCode, detail: string, errors: ErrorDetail[]): Problem {
  const listed = { errors: errors.slice(0, ERRORS_MAX), errorsOmitted: Math.max(0, errors.length - ERRORS_MAX) };
  return new Problem(400, code, detail, listed);
}

/** A write of a user, or for a user, who does not exist. */
export function noSuchUser(userId: number): Problem {
  return new Problem(403, 'user-unknown', `User ${userId} does not exist.`);
}

/** Nothing was done, and the same request may succeed a short while later. */
export function tryAgain(status: number, code: ProblemCode, detail: string, seconds = 1, headers: Record<string, string> = {}): Problem {
  return new Problem(status, code, detail, { headers: { 'Retry-After': String(seconds), ...headers } });
}
