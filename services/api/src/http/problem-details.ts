import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import { ErrorDetail, Problem, tryAgain, Values } from '@ugc/items/problems/problem';
import { PROBLEM_KINDS, problemType, type ProblemCode } from '@ugc/items/problems/problem-kinds';

const TYPES = `The kind of the error, by which programs decide. Later releases may have more. The kinds:

${Object.entries(PROBLEM_KINDS)
  .map(([code, { description }]) => `- \`${problemType(code as ProblemCode)}\`: ${description}`)
  .join('\n')}`;

export const ProblemDetails = z
  .object({
    type: z.string().meta({ format: 'uri-reference', description: TYPES }),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string(),
    instance: z.string(),
    requestId: z.string(),
    errors: z
      .array(ErrorDetail)
      .optional()
      .describe('The first 100 problems, each with a JSON pointer into the body or the name of a parameter.'),
    values: Values.optional(),
    errorsOmitted: z.int().min(1).optional().describe('The number of further problems that `errors` does not list.'),
  })
  .meta({ id: 'Problem' });
export type ProblemDetails = z.infer<typeof ProblemDetails>;

export function missingToken(): Problem {
  return new Problem(403, 'token-missing', 'A valid bearer token is required in the Authorization header.');
}

/** Says nothing of what is wrong: whoever guesses tokens learns nothing. @param cause for the log */
export function invalidToken(cause?: string): Problem {
  return new Problem(403, 'token-invalid', 'The bearer token is not valid.', { cause });
}

/** Only for a token whose signature is right. */
export function expiredToken(cause?: unknown): Problem {
  return new Problem(403, 'token-expired', 'The bearer token has expired. Get a new one.', { cause });
}

export function internalError(): Problem {
  return new Problem(500, 'internal-error', 'An internal error occurred. The log contains its cause under this request id.');
}

const RETRY_AFTER_SECONDS = 5;

/** A write that was not stored because a store is unavailable, or of which that is unknown. */
export function cannotStore({ isUnknown }: { isUnknown: boolean }): Problem {
  const detail = isUnknown
    ? 'It is unknown whether the change was stored. Repeat the request with the same Idempotency-Key, or read the item first.'
    : 'The service is temporarily unavailable. Nothing was stored; try again.';
  return tryAgain(503, isUnknown ? 'result-unknown' : 'store-unavailable', detail, RETRY_AFTER_SECONDS);
}

/** A write that was not begun. */
export function waitsForStandby(): Problem {
  const detail = 'A standby of the database does not respond, so that no change can be stored. Nothing was stored; try again.';
  return tryAgain(503, 'store-unavailable', detail, RETRY_AFTER_SECONDS);
}

/** The specification requires 500 for reads. */
export function cannotRead(): Problem {
  return new Problem(500, 'store-unavailable', 'A data store that this request needs is unavailable.');
}

/** The key server does not respond. Nothing was done. */
export function cannotVerify({ isRead }: { isRead: boolean }): Problem {
  const detail = 'The key server is unavailable, so the token cannot be verified. Nothing was done; try again.';
  const code = 'keys-unavailable';
  return isRead ? new Problem(500, code, detail) : tryAgain(503, code, detail, RETRY_AFTER_SECONDS);
}

/** The keys that verify tokens cannot be fetched, so it is unknown whether the token is valid. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

export function problemBody(problem: Problem, instance: string, requestId: string): ProblemDetails {
  return {
    type: problemType(problem.code),
    title: STATUS_CODES[problem.status] ?? 'Error',
    status: problem.status,
    detail: problem.message,
    instance,
    requestId,
    ...(problem.values && { values: problem.values }),
    ...(problem.errors && { errors: problem.errors }),
    ...(problem.errorsOmitted > 0 && { errorsOmitted: problem.errorsOmitted }),
  };
}
