import { pathToFileURL } from 'node:url';
import { expect } from 'expect';
import { bind } from 'jest-each';
import type { Outcome } from './run-tests.ts';

// What `@jest/globals` has for tests that need neither mocks nor fake timers.

type Test = { name: string; run: () => unknown };

const tests: Test[] = [];
const path: string[] = [];

function collectTest(name: string, run: () => unknown): void {
  tests.push({ name: [...path, name].join(' '), run });
}

function collectGroup(name: string, add: () => void): void {
  path.push(name);
  add();
  path.pop();
}

const skipped = (): void => undefined;
const skip = Object.assign(skipped, { each: () => skipped });

export const it = Object.assign(collectTest, { each: bind(collectTest), skip });
export const describe = Object.assign(collectGroup, { each: bind(collectGroup, false, false), skip });
export { expect };

/** Loads a test file and runs its tests until the first failure. */
export async function runCollected(file: string): Promise<Pick<Outcome, 'kind' | 'detail'>> {
  expect.setState({ testPath: file });
  try {
    await import(pathToFileURL(file).href);
  } catch (error) {
    return { kind: 'broken', detail: String(error) };
  }
  for (const { name, run } of tests) {
    try {
      await run();
    } catch {
      return { kind: 'failed', detail: name };
    }
  }
  return tests.length > 0 ? { kind: 'passed', detail: '' } : { kind: 'broken', detail: 'the file has no tests' };
}
