import { LONG_TESTS } from './long-tests.ts';

const TEST_FILE = /^test\/(.*\.test\.ts)$/;

/**
 * The test files that must run with their long tests after these files have changed: a changed test file, and the files of
 * the longest row of the table that a changed file begins with.
 * @param changed paths in the repository; undefined if they are unknown, which selects all
 */
export function selectLongTests(changed: string[] | undefined, table = LONG_TESTS): string[] | 'all' {
  if (changed === undefined) return 'all';
  return [...new Set(changed.flatMap((file) => testsAfter(file, table)))];
}

function testsAfter(file: string, table: typeof LONG_TESTS): string[] {
  const [, test] = TEST_FILE.exec(file) ?? [];
  if (test !== undefined) return [test];
  const rows = Object.keys(table).filter((beginning) => file.startsWith(beginning));
  const [longest = ''] = rows.toSorted((a, b) => b.length - a.length);
  return table[longest] ?? [];
}
