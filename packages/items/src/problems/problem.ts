import { z } from 'zod';
import { ERROR_CODES, type ErrorCode, type ErrorValues } from './error-codes.ts';
import type { ProblemCode } from './problem-kinds.ts';

export const Values = z
  .record(z.string(), z.unknown())
  .describe('The numbers and names that `detail` says, for programs that say it in another language.');

const CODES = `What is wrong, by which programs decide. An error of another kind has none. Later releases may have more. The codes:

${Object.entries(ERROR_CODES)
  .map(([code, { description }]) => `- \`${code}\`: ${description}`)
  .join('\n')}`;

export const ErrorDetail = z.object({
  pointer: z.string().optional(),
  parameter: z.string().optional(),
  detail: z.string(),
  code: z.string().optional().describe(CODES),
  values: Values.optional(),
});
/** One problem of a request, with either a JSON pointer into its body or the name of a parameter. */
export type ErrorDetail = Omit<z.infer<typeof ErrorDetail>, 'code' | 'values'> & {
  code?: ErrorCode | undefined;
  values?: ErrorValues | undefined;
};

type Extras = {
  errors?: ErrorDetail[] | undefined;
  errorsOmitted?: number;
  /** The numbers and names that the detail says. */
  values?: ErrorValues;
  headers?: Record<string, string>;
  cause?: unknown;
};

/** An error response. Clients see `detail`, so it must not reveal internals. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly code: ProblemCode;
  readonly errors: ErrorDetail[] | undefined;
  readonly errorsOmitted: number;
  readonly values: ErrorValues | undefined;
  readonly headers: Record<string, string>;

  constructor(status: number, code: ProblemCode, detail: string, { errors, errorsOmitted = 0, values, headers = {}, cause }: Extras = {}) {
    super(detail, { cause });
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.errorsOmitted = errorsOmitted;
    this.values = values;
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
  return new Problem(403, 'user-unknown', `User ${userId} does not exist.`, { values: { userId } });
}

/** An upload for another user. */
export function otherCreator(userId: number | undefined): Problem {
  return new Problem(403, 'other-creator', `creatorId must be the user id of the token (${userId}).`, {
    ...(userId !== undefined && { values: { userId } }),
  });
}

/** Nothing was done, and the same request may succeed a short while later. */
export function tryAgain(
  status: number,
  code: ProblemCode,
  detail: string,
  seconds = 1,
  headers: Record<string, string> = {},
  values?: ErrorValues,
): Problem {
  return new Problem(status, code, detail, { headers: { 'Retry-After': String(seconds), ...headers }, ...(values && { values }) });
}
