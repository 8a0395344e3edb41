import type { Limits } from '../env.ts';
import { noSuchContent } from '../content/get-content.ts';
import { bodyTooLarge, bodyTooSlow, unsupportedMediaType, validate } from '../http/body.ts';
import { cannotStore, internalError, invalidToken, Problem, problemBody, ProblemDetails } from '../http/problem.ts';
import { rateExceeded } from '../limits/rate-limits.ts';
import { RATE_OF } from '../limits/request-limits.ts';
import type { DocumentedError, DocumentedResponse, Endpoint } from './endpoint.ts';

const DESCRIPTIONS: Record<number, string> = {
  400: 'The request is not valid; `errors` lists the first 100 problems and `errorsOmitted` counts the rest.',
  403: 'There is no valid token.',
  404: 'There is no such item.',
  408: 'The body arrived too slowly.',
  412: 'The item has been edited since (`If-Match`).',
  413: 'The body is too large.',
  415: 'The media type of the body is not supported.',
  422: 'The Idempotency-Key was used for another request.',
  429: 'The user sends too many requests per minute or at a time; retry after `Retry-After` seconds.',
  500: 'An internal error occurred, or a store is unavailable.',
  503: 'Nothing can be stored now; retry after `Retry-After` seconds.',
};

const RETRY_AFTER = { 'Retry-After': { description: 'When to try again, in seconds.', example: 12 } };
const EXAMPLE_LIMIT = 600;
const EXAMPLE_REQUEST_ID = '3b3f1c9e-9d3c-4a64-8f0e-6f0f5f5a2b51';

/** The error responses of an endpoint. The example of each is what the service sends. */
export function documentedErrors(endpoint: Endpoint, limits: Limits): Record<number, DocumentedResponse> {
  const instance = endpoint.path.replace('{id}', '42');
  return Object.fromEntries(
    errorsOf(endpoint, limits).map(({ problem, description }) => {
      const { status, headers } = problem;
      const example = problemBody(problem, instance, EXAMPLE_REQUEST_ID);
      const body = { schema: ProblemDetails, mediaType: 'application/problem+json', example };
      return [
        status,
        { description: description ?? DESCRIPTIONS[status] ?? '', ...body, ...('Retry-After' in headers && { headers: RETRY_AFTER }) },
      ];
    }),
  );
}

/** The errors that follow from path, query, body and cost, and those that the endpoint itself throws. */
function errorsOf({ path, cost, query, body, errors = [] }: Endpoint, limits: Limits): readonly DocumentedError[] {
  if (cost === 'public') return errors;
  const problems = [
    ...(query ? [thrownBy(() => query.parse(query.invalid))] : []),
    ...(body ? [thrownBy(() => validate(body.schema, body.invalid)), bodyTooSlow(), bodyTooLarge(limits.BODY_MAX_BYTES)] : []),
    ...(body ? [unsupportedMediaType(body.mediaTypes)] : []),
    ...(path.includes('{id}') ? [noSuchContent()] : []),
    ...(cost === 'write' ? [cannotStore({ isUnknown: false })] : []),
    invalidToken(),
    rateExceeded(EXAMPLE_LIMIT, RATE_OF[cost], RETRY_AFTER['Retry-After'].example),
    internalError(),
  ];
  return [...problems.map((problem) => ({ problem })), ...errors];
}

function thrownBy(work: () => unknown): Problem {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('the example of an invalid request is valid');
}
