import { badRequest, Problem, problemBody, type ErrorDetail } from '../http/problem.ts';
import { headers, ref } from './parts.ts';

type DocumentedError = { description: string; detail: string };

const UNAUTHORIZED = 'A valid bearer token is required in the Authorization header.';

const ERRORS: Record<number, DocumentedError> = {
  400: {
    description: 'The request is not valid; `errors` lists the first 100 problems and `errorsOmitted` counts the rest.',
    detail: 'Some parameters are not valid.',
  },
  403: { description: 'There is no valid token.', detail: UNAUTHORIZED },
  404: {
    description: 'There is no such item.',
    detail: 'No content item has this id. An id is a positive integer, such as the `contentId` of a list item.',
  },
  408: {
    description: 'The body arrived too slowly.',
    detail: 'The body arrived too slowly. The minimum average rate is 16384 bytes per second.',
  },
  412: {
    description: 'The item has been edited since (`If-Match`).',
    detail: 'The item has been edited since this entity tag was issued. Read it again first.',
  },
  413: { description: 'The body is too large.', detail: 'The body is larger than the limit of 2097152 bytes.' },
  415: {
    description: 'The media type of the body is not supported.',
    detail: 'The body must be application/json, encoded in UTF-8.',
  },
  422: {
    description: 'The Idempotency-Key was used for another request.',
    detail: 'This Idempotency-Key was already used for a different request.',
  },
  429: {
    description: 'The user sends too many requests per minute or at a time; retry after `Retry-After` seconds.',
    detail: 'The limit is 600 reads per minute. Try again in 12 s.',
  },
  500: {
    description: 'An internal error occurred, or a store is unavailable.',
    detail: 'An internal error occurred. The log contains its cause under this request id.',
  },
  503: {
    description: 'Nothing can be stored now, or the search index is of an older release; retry after `Retry-After` seconds.',
    detail: 'The service is temporarily unavailable. Nothing was stored; try again.',
  },
};

const RETRY_AFTER = { 'Retry-After': { description: 'When to try again, in seconds.', example: 12 } };
const WITH_RETRY_AFTER = new Set([429, 503]);
const REQUEST_ID = '3b3f1c9e-9d3c-4a64-8f0e-6f0f5f5a2b51';

const INVALID_PARAMETER: ErrorDetail = { parameter: 'size', detail: 'must be an integer from 1 to 200' };
export const INVALID_FIELD: ErrorDetail = { pointer: '#/name', detail: 'is required' };

type Differences = { invalid?: ErrorDetail; replaced?: Record<number, Partial<DocumentedError>> };

/**
 * The error responses of an operation that requires a token, by status. Each has an example.
 * @param path of the operation
 * @param statuses besides 403, 429 and 500, which every such operation has
 */
export function errorResponses(path: string, statuses: number[], { invalid = INVALID_PARAMETER, replaced = {} }: Differences = {}) {
  return Object.fromEntries(
    [...statuses, 403, 429, 500].map((status) => {
      const { description, detail } = { ...ERRORS[status], ...replaced[status] } as DocumentedError;
      const problem = status === 400 ? badRequest(detail, [invalid]) : new Problem(status, detail);
      const example = problemBody(problem, path.replace('{id}', '42'), REQUEST_ID);
      const content = { 'application/problem+json': { schema: ref('Problem'), example } };
      return [status, { description, content, ...(WITH_RETRY_AFTER.has(status) && { headers: headers(RETRY_AFTER) }) }];
    }),
  );
}
