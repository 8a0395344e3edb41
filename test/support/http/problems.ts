import { expect } from '@jest/globals';
import { ERROR_CODES, type ErrorCode } from '@ugc/items/problems/error-codes';
import { PROBLEM_KINDS, type ProblemCode } from '@ugc/items/problems/problem-kinds';
import { STATUS_CODES } from 'node:http';
import type { ApiResponse } from './client.ts';

const TYPE = new RegExp(`^/docs#(${Object.keys(PROBLEM_KINDS).join('|')})$`);

type ErrorDetail = { pointer?: string; parameter?: string; code?: ErrorCode; values?: object };

/** Expects problem+json (RFC 9457) with this status and only the documented fields, codes and values. @returns the body */
export function expectProblem(
  response: ApiResponse,
  status: number,
  code?: ProblemCode,
): { detail: string; errors?: ErrorDetail[]; values?: object } {
  expect({ status: response.status, body: response.body }).toEqual({
    status,
    body: {
      type: code ? `/docs#${code}` : expect.stringMatching(TYPE),
      title: STATUS_CODES[status],
      status,
      detail: expect.stringMatching(/\S/),
      instance: expect.any(String),
      requestId: response.headers.get('x-request-id'),
      ...((status === 400 || code === 'rebuild-due') && { errors: expect.any(Array) }),
      ...(hasValues(response.body) && { values: expect.any(Object) }),
    },
  });
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json(; charset=utf-8)?$/);
  for (const error of (response.body as { errors?: ErrorDetail[] }).errors ?? []) {
    expect(error.code === undefined || error.code in ERROR_CODES).toBe(true);
    const known = error.code === undefined ? [] : ERROR_CODES[error.code].values;
    expect(Object.keys(error.values ?? {}).filter((name) => !known.includes(name))).toEqual([]);
  }
  return response.body;
}

const hasValues = (body: { values?: unknown } | undefined): boolean => body?.values !== undefined;

/** Expects a 400 whose `errors` name exactly these JSON pointers or parameters. */
export function expectErrors(response: ApiResponse, named: string[]): void {
  const { errors = [] } = expectProblem(response, 400);
  expect(errors.map(({ pointer, parameter }) => pointer ?? parameter).sort()).toEqual(named.toSorted());
}
