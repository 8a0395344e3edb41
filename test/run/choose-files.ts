import { LONG_FILES } from './long-tests.ts';

type Choice = { patterns: string[]; longTests: string[] | 'all' };

/**
 * The test files of a run: those in a folder or that match a regular expression, whichever a pattern is; without patterns
 * all, but for files of long tests only that are not selected. `promises` run after the others.
 * @param all paths in `test`
 */
export function chooseFiles(all: string[], { patterns, longTests }: Choice): { files: string[]; promises: string[] } {
  const isChosen =
    patterns.length > 0
      ? (file: string): boolean => patterns.some((pattern) => isMatch(file, pattern, all))
      : (file: string): boolean => longTests === 'all' || longTests.includes(file) || !LONG_FILES.includes(file);
  const { files = [], promises = [] } = Object.groupBy(all.filter(isChosen), (file) =>
    file.startsWith('promises/') ? 'promises' : 'files',
  );
  return { files, promises };
}

function isMatch(file: string, pattern: string, all: string[]): boolean {
  const isFolder = all.some((other) => other.startsWith(`${pattern}/`));
  return isFolder ? file.startsWith(`${pattern}/`) : new RegExp(pattern).test(file);
}
