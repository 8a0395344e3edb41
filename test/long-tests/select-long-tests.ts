import { LONG_TESTS } from './long-tests.ts';

/** Files that no long test depends on. */
const IRRELEVANT = [
  /\.md$/,
  /^\./,
  /^(docs|deploy|tools)\//,
  /^(docker-compose(\.opensearch)?\.yml|Dockerfile|eslint\.config\.js|tsconfig.*\.json)$/,
  /^test\/(unit|relevance|long-tests)\//,
  /^test\/nemesis\.ts$/,
];

const TEST_FILE = /^test\/(.*\.test\.ts)$/;

/**
 * The test files that must run with their long tests after these files have changed: a changed test file, and the files of
 * each row of the table that a changed file belongs to. A file that belongs to no row may break any test.
 * @param changed paths in the repository; undefined if they are unknown
 */
export function selectLongTests(changed: string[] | undefined, table = LONG_TESTS): string[] | 'all' {
  const selected = new Set<string>();
  for (const file of changed ?? ['unknown']) {
    const tests = testsAfter(file, table);
    if (tests === undefined) return 'all';
    for (const test of tests) selected.add(test);
  }
  return [...selected];
}

function testsAfter(file: string, table: typeof LONG_TESTS): string[] | undefined {
  if (IRRELEVANT.some((pattern) => pattern.test(file))) return [];
  const [, test] = TEST_FILE.exec(file) ?? [];
  if (test !== undefined) return [test];
  const rows = Object.entries(table).filter(([beginning]) => file.startsWith(beginning));
  return rows.length === 0 ? undefined : rows.flatMap(([, tests]) => tests);
}
