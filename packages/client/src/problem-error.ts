import type { Problem } from './generated/types.gen.ts';

type WithErrors = Problem & Required<Pick<Problem, 'errors'>>;

/** An error response (RFC 9457). One without problem details, such as that of a proxy, has only `status` and `title`. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';

  /** @param body the parsed body of the response, or its text */
  constructor({ status, statusText }: Response, body: unknown) {
    const unknown = { type: 'about:blank', title: statusText, status, detail: '', instance: '', requestId: '', errors: [] };
    const problem: WithErrors = { ...unknown, ...(typeof body === 'object' && body) };
    const errors = problem.errors.map(({ pointer, parameter, detail }) => `${pointer ?? parameter ?? ''} ${detail}`);
    super([`${status} ${problem.title}`, problem.detail, ...errors].filter((part) => part !== '').join(': '));
    Object.assign(this, problem);
  }
}
export interface ProblemError extends WithErrors {}
