import type { Limits } from '../env.ts';
import { noSuchContent } from '@ugc/items/changes/get-content';
import { bodyTooLarge, bodyTooSlow, unsupportedMediaType } from '../http/body.ts';
import { validate } from '@ugc/items/fields/json';
import {
  cannotRead,
  cannotStore,
  cannotVerify,
  expiredToken,
  internalError,
  invalidToken,
  missingToken,
  problemBody,
  ProblemDetails,
} from '../http/problem-details.ts';
import { Problem } from '@ugc/items/problems/problem';
import { PROBLEM_KINDS } from '@ugc/items/problems/problem-kinds';
import { rateExceeded } from '../limits/rate-limits.ts';
import { RATE_OF } from '../limits/request-limits.ts';
import { tooManyRequests } from '../limits/request-slots.ts';
import { BUDGET_MS, workTooLong } from '../limits/threads.ts';
import { tooManyUploads } from '../limits/traffic.ts';
import { pageTooLarge } from '../search/response.ts';
import { userIsBlocked } from '@ugc/items/people/blocked-users';
import { bodyLimit, type DocumentedResponse, type Endpoint } from './endpoint.ts';

const RETRY_AFTER = { 'Retry-After': { description: 'When to try again, in seconds.', example: 12 } };
const EXAMPLE_LIMIT = 600;
const EXAMPLE_REQUEST_ID = '3b3f1c9e-9d3c-4a64-8f0e-6f0f5f5a2b51';

/** The error responses of an endpoint, with an example of each kind: what the service sends. */
export function documentedErrors(endpoint: Endpoint, limits: Limits): Record<number, DocumentedResponse> {
  const instance = endpoint.path.replace(/\{\w+\}/, '42');
  const byStatus = Map.groupBy(errorsOf(endpoint, limits), ({ status }) => status);
  return Object.fromEntries([...byStatus].map(([status, problems]) => [status, toResponse(problems, instance)]));
}

function toResponse(problems: Problem[], instance: string): DocumentedResponse {
  const byCode = Object.fromEntries(problems.map((problem) => [problem.code, problem]));
  return {
    description: Object.keys(byCode)
      .map((code) => `- \`${code}\`: ${PROBLEM_KINDS[code as Problem['code']].description}`)
      .join('\n'),
    schema: ProblemDetails,
    mediaType: 'application/problem+json',
    examples: Object.fromEntries(
      Object.entries(byCode).map(([code, problem]) => [code, { value: problemBody(problem, instance, EXAMPLE_REQUEST_ID) }]),
    ),
    ...(problems.every(({ headers }) => 'Retry-After' in headers) && { headers: RETRY_AFTER }),
  };
}

/** The errors that follow from path, query, body and cost, and those that the endpoint itself throws. */
function errorsOf({ path, cost, query, body, errors = [] }: Endpoint, limits: Limits): readonly Problem[] {
  if (cost === 'public') return errors;
  const isRead = cost !== 'write';
  return [
    ...(query ? [thrownBy(() => query.parse(query.invalid))] : []),
    ...(body ? ofBody(body, limits) : []),
    ...(cost === 'list' ? [pageTooLarge(100, limits.PAGE_MAX_BYTES), workTooLong(BUDGET_MS)] : []),
    missingToken(),
    invalidToken(),
    expiredToken(),
    ...(isRead ? [] : [userIsBlocked()]),
    ...errors,
    ...(path.includes('{id}') ? [noSuchContent()] : []),
    rateExceeded(EXAMPLE_LIMIT, RATE_OF[cost], RETRY_AFTER['Retry-After'].example),
    tooManyRequests(),
    internalError(),
    ...(isRead ? [cannotRead()] : [cannotStore({ isUnknown: false }), cannotStore({ isUnknown: true })]),
    cannotVerify({ isRead }),
  ];
}

function ofBody({ schema, invalid, mediaTypes, maxBytes }: NonNullable<Endpoint['body']>, limits: Limits): Problem[] {
  const refused = thrownBy(() => validate(schema, invalid));
  const ofSize = [bodyTooSlow(), bodyTooLarge(bodyLimit(maxBytes, limits)), tooManyUploads(), workTooLong(BUDGET_MS)];
  return [refused, unsupportedMediaType(mediaTypes), ...ofSize];
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
