import type { Problem } from './generated/types.gen.ts';
import { retryAfterSeconds } from './retrying-fetch.ts';

type WithErrors = Problem & Required<Pick<Problem, 'errors'>>;

/** An error response (RFC 9457). One without problem details, such as that of a proxy, has only `status` and `title`. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  /** The kind of the error, by which programs decide: `token-expired`. Empty without problem details. */
  readonly code: string;
  /** When to try again; undefined if the response does not say so. */
  readonly retryAfterSeconds: number | undefined;
  /** Those of the response. */
  readonly headers: Headers;

  /** @param body the parsed body of the response, or its text */
  constructor({ status, statusText, headers }: Response, body: unknown) {
    const unknown = { type: 'about:blank', title: statusText, status, detail: '', instance: '', requestId: '', errors: [] };
    const isProblem = headers.get('Content-Type')?.startsWith('application/problem+json');
    const problem: WithErrors = { ...unknown, ...(isProblem && typeof body === 'object' && body) };
    const errors = (Array.isArray(problem.errors) ? problem.errors : []).map(
      ({ pointer, parameter, detail }) => `${pointer ?? parameter ?? ''} ${detail}`,
    );
    super([`${status} ${problem.title}`, problem.detail, ...errors].filter((part) => part !== '').join(': '));
    Object.assign(this, problem);
    this.code = problem.type.split('#')[1] ?? '';
    this.retryAfterSeconds = retryAfterSeconds(headers);
    this.headers = headers;
  }
}
export interface ProblemError extends WithErrors {}
