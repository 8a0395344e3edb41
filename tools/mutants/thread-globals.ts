import { fileURLToPath } from 'node:url';
import { expect } from 'expect';
import { bind } from 'jest-each';
import { ModuleMocker } from 'jest-mock';
import type { Outcome } from './run-tests.ts';

// What `@jest/globals` has for tests that need no fake timers.

type Run = () => unknown;
type Group = { name: string; hooks: Record<'beforeAll' | 'afterAll' | 'beforeEach' | 'afterEach', Run[]> };
type Test = { groups: Group[]; name: string; run: Run };

let tests: Test[] = [];
let groups: Group[] = [newGroup('')];

function newGroup(name: string): Group {
  return { name, hooks: { beforeAll: [], afterAll: [], beforeEach: [], afterEach: [] } };
}

function collectTest(name: string, run: Run): void {
  tests.push({ groups, name: [...groups.slice(1).map((group) => group.name), name].join(' '), run });
}

function collectGroup(name: string, add: () => void): void {
  const outer = groups;
  groups = [...outer, newGroup(name)];
  add();
  groups = outer;
}

function hook(kind: keyof Group['hooks']): (run: Run) => void {
  return (run) => void groups.at(-1)?.hooks[kind].push(run);
}

const skipped = (): void => undefined;
const skip = Object.assign(skipped, { each: () => skipped });

export const it = Object.assign(collectTest, { each: bind(collectTest), skip });
export const describe = Object.assign(collectGroup, { each: bind(collectGroup, false, false), skip });
export const beforeAll = hook('beforeAll');
export const afterAll = hook('afterAll');
export const beforeEach = hook('beforeEach');
export const afterEach = hook('afterEach');
const mocker = new ModuleMocker(globalThis);
export const jest = { fn: mocker.fn.bind(mocker), spyOn: mocker.spyOn.bind(mocker) };
export { expect };

/** Loads test files and runs their tests until the first failure: each file once those before it have passed. */
export async function runCollected(urls: string[], except?: RegExp): Promise<Pick<Outcome, 'kind' | 'detail'>> {
  let count = 0;
  try {
    for (const url of urls) {
      const chosen = (await collect(url)).filter(({ name }) => !except?.test(name));
      count += chosen.length;
      await runAllTests(chosen);
    }
  } catch (error) {
    return error instanceof TestFailed ? { kind: 'failed', detail: error.message } : { kind: 'broken', detail: String(error) };
  } finally {
    mocker.restoreAllMocks();
  }
  return count > 0 ? { kind: 'passed', detail: '' } : { kind: 'broken', detail: 'no test imports the changed file' };
}

/** @throws errors of the file */
async function collect(url: string): Promise<Test[]> {
  tests = [];
  groups = [newGroup('')];
  expect.setState({ testPath: fileURLToPath(url) });
  await import(url);
  return tests;
}

/** Its message is the name of the test. */
class TestFailed extends Error {}

/** @throws TestFailed */
async function runAllTests(chosen: Test[]): Promise<void> {
  const begun = new Set<Group>();
  for (const test of chosen) {
    await runTest(test, begun).catch(() => {
      throw new TestFailed(test.name);
    });
  }
  for (const { hooks } of [...begun].toReversed()) await runAll(hooks.afterAll);
}

async function runTest({ groups: outer, run }: Test, begun: Set<Group>): Promise<void> {
  for (const group of outer) {
    if (!begun.has(group)) await runAll(group.hooks.beforeAll);
    begun.add(group);
  }
  for (const { hooks } of outer) await runAll(hooks.beforeEach);
  await run();
  for (const { hooks } of outer.toReversed()) await runAll(hooks.afterEach);
}

async function runAll(hooks: Run[]): Promise<void> {
  for (const run of hooks) await run();
}
