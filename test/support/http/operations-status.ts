import { expect } from '@jest/globals';
import type { OperationsStatus } from '@ugc/shared/contracts/operations-status';

export async function readStatus(operationsUrl: string): Promise<OperationsStatus> {
  const response = await fetch(`${operationsUrl}/status`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
  return (await response.json()) as OperationsStatus;
}

/** What the operators' page says an operator has to do. */
export async function problemsOnPage({ operationsUrl }: { operationsUrl: string }): Promise<string[]> {
  const { postgresProblem, keyProblem, redisProblems, targets } = await readStatus(operationsUrl);
  const ofIndices = 'value' in targets ? targets.value.problems : [targets.problem];
  return [postgresProblem, keyProblem, ...redisProblems, ...ofIndices].filter((problem) => problem !== null);
}

/** @throws Error if the part could not be read */
export function valueOf<T>(part: { value: T } | { problem: string }): T {
  if ('problem' in part) throw new Error(part.problem);
  return part.value;
}
