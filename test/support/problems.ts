import { expect } from '@jest/globals';
import { STATUS_CODES } from 'node:http';
import type { Answer } from './client.ts';

/** Expects problem+json of this status with nothing in it but what is documented, and returns it. */
export function expectProblem(answer: Answer, status: number): { detail: string; errors?: { pointer?: string; parameter?: string }[] } {
  expect({ status: answer.status, body: answer.body }).toEqual({
    status,
    body: {
      type: 'about:blank',
      title: STATUS_CODES[status],
      status,
      detail: expect.stringMatching(/\S/),
      instance: expect.any(String),
      requestId: answer.headers.get('x-request-id'),
      ...(status === 400 && { errors: expect.any(Array) }),
    },
  });
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json(; charset=utf-8)?$/);
  return answer.body;
}

/** Expects a 400 that names exactly these parts of the request: JSON pointers, or names of parameters. */
export function expectFaults(answer: Answer, named: string[]): void {
  const { errors = [] } = expectProblem(answer, 400);
  expect(errors.map(({ pointer, parameter }) => pointer ?? parameter).sort()).toEqual(named.toSorted());
}
