import { LONG_FILES } from './long-tests.ts';

type Choice = { patterns: string[]; longTests: string[] | 'all' };

/**
 * The test files of a run: those that match a pattern, as a regular expression; without patterns all, but for files of
 * long tests only that are not selected. `promises` run after the others.
 * @param all paths in `test`
 */
export function chooseFiles(all: string[], { patterns, longTests }: Choice): { files: string[]; promises: string[] } {
  const isChosen =
    patterns.length > 0
      ? (file: string): boolean => patterns.some((pattern) => new RegExp(pattern).test(file))
      : (file: string): boolean => longTests === 'all' || longTests.includes(file) || !LONG_FILES.includes(file);
  const { files = [], promises = [] } = Object.groupBy(all.filter(isChosen), (file) =>
    file.startsWith('promises/') ? 'promises' : 'files',
  );
  return { files, promises };
}
