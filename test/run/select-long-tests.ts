import { LONG_TESTS } from './long-tests.ts';

const TEST_FILE = /^test\/(.*\.test\.ts)$/;

/**
 * The test files that must run with their long tests after these files have changed: a changed test file, and the files of
 * each row of the table that a changed file belongs to.
 * @param changed paths in the repository; undefined if they are unknown, which selects all
 */
export function selectLongTests(changed: string[] | undefined, table = LONG_TESTS): string[] | 'all' {
  if (changed === undefined) return 'all';
  return [...new Set(changed.flatMap((file) => testsAfter(file, table)))];
}

function testsAfter(file: string, table: typeof LONG_TESTS): string[] {
  const [, test] = TEST_FILE.exec(file) ?? [];
  if (test !== undefined) return [test];
  return Object.entries(table).flatMap(([beginning, tests]) => (file.startsWith(beginning) ? tests : []));
}
