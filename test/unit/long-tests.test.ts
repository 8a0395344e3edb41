import { describe, expect, it } from '@jest/globals';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { globSync, readFileSync } from 'node:fs';
import { chooseFiles } from '../run/choose-files.ts';
import { readHistory } from '../run/history.ts';
import { LONG_FILES, LONG_TESTS } from '../run/long-tests.ts';
import { selectLongTests } from '../run/select-long-tests.ts';

const TABLE = { 'services/api/src/search/': ['api/a.test.ts'], 'services/api/src/search/pages/': ['api/b.test.ts'], 'packages/web/': [] };

describe('the long tests that run after a change', () => {
  it.each<[string, string[] | undefined, string[] | 'all']>([
    ['of a source are those of its row', ['services/api/src/search/list.ts'], ['api/a.test.ts']],
    ['of a source in several rows are those of the longest', ['services/api/src/search/pages/x.ts'], ['api/b.test.ts']],
    ['of several sources contain each file once', ['services/api/src/search/a.ts', 'services/api/src/search/b.ts'], ['api/a.test.ts']],
    ['of a source that cannot break any are none', ['packages/web/src/page/main.tsx', 'docs/api.md', 'README.md'], []],
    ['of a source without a row are none', ['packages/new/main.ts', 'services/new/main.ts'], []],
    ['of a test file are its own', ['test/pipeline/faults/redis.test.ts'], ['pipeline/faults/redis.test.ts']],
    ['of nothing are none', [], []],
    ['that is not known, because there is no history, are all', undefined, 'all'],
  ])('%s', (_, changed, expected) => {
    expect(selectLongTests(changed, TABLE)).toEqual(expected);
  });
});

describe('the files of a run', () => {
  const [long = ''] = LONG_FILES;
  const all = ['unit/a.test.ts', 'promises/b.test.ts', 'pipeline/faults/c.test.ts', long];

  it.each<[string, string[], string[] | 'all', string[]]>([
    ['are all but those of long tests only', [], [], ['unit/a.test.ts', 'pipeline/faults/c.test.ts']],
    ['contain those that the change can break', [], [long], ['unit/a.test.ts', 'pipeline/faults/c.test.ts', long]],
    ['are all with all long tests', [], 'all', ['unit/a.test.ts', 'pipeline/faults/c.test.ts', long]],
    ['are those that a pattern matches', ['faults/', 'unit/b'], [], ['pipeline/faults/c.test.ts']],
    ['contain one of long tests only if a pattern names it', [long], [], [long]],
  ])('%s', (_, patterns, longTests, files) => {
    expect(chooseFiles(all, { patterns, longTests }).files).toEqual(files);
  });

  it('of promises run apart', () => {
    expect(chooseFiles(all, { patterns: [], longTests: [] }).promises).toEqual(['promises/b.test.ts']);
  });
});

describe('the table of long tests', () => {
  const inTest = globSync('{api,browser,environments,model,pipeline,pipeline/faults,promises,relevance}/*.test.ts', {
    cwd: `${CHECKOUT}test`,
  });
  const named = new Set(Object.values(LONG_TESTS).flat());
  const batches = readHistory({ commits: 150, batch: 10 });

  it('has rows of sources that exist', () => {
    const sources = globSync('{deploy,services,packages,test/{model,relevance,support}}/**/*.*', {
      cwd: CHECKOUT,
      exclude: ['**/node_modules/**'],
    });
    const paths = [...sources, 'pnpm-lock.yaml'];
    expect(Object.keys(LONG_TESTS).filter((row) => !paths.some((path) => path.startsWith(row)))).toEqual([]);
  });

  it('has a row of each folder of the services and of what they share', () => {
    const folders = globSync('{services/*,packages/shared}/src/*/', { cwd: CHECKOUT });
    const rows = Object.keys(LONG_TESTS);
    expect(folders.filter((folder) => !rows.some((row) => row.startsWith(`${folder}/`)))).toEqual([]);
  });

  it('names every test file that has long tests, and no other', () => {
    const isLong = (file: string): boolean => /\b(long\.|rows\(|runs\(|rounds\(\))/.test(readFileSync(`${CHECKOUT}test/${file}`, 'utf8'));
    expect([...named].toSorted()).toEqual(inTest.filter((file) => LONG_FILES.includes(file) || isLong(file)).toSorted());
  });

  it('selects everything for none of the last batches of ten commits', () => {
    expect(batches.filter((changed) => [...named].every((file) => selectLongTests(changed).includes(file)))).toEqual([]);
  });

  it('selects less than half of the files of long tests for most of these batches', () => {
    const selected = batches.map((changed) => LONG_FILES.filter((file) => selectLongTests(changed).includes(file)).length);
    expect(selected.toSorted((a, b) => a - b)[Math.floor(selected.length / 2)] ?? 0).toBeLessThan(LONG_FILES.length / 2);
  });
});
