const ALL = 'all';

/** Names the test files that run with their long tests, as paths in `test`. Jest hands its environment to its workers. */
export function testFully(files: readonly string[] | typeof ALL): void {
  process.env['FULLY_TESTED'] = files === ALL ? ALL : files.join();
}

/** @param path absolute */
export function isFullyTested(path: string): boolean {
  const files = process.env['FULLY_TESTED'] ?? '';
  return files === ALL || (files !== '' && files.split(',').some((file) => path.endsWith(`/test/${file}`)));
}
