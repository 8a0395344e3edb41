import { describe, expect, it } from '@jest/globals';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { globSync, readFileSync } from 'node:fs';
import { LONG_TESTS } from '../long-tests/long-tests.ts';
import { selectLongTests } from '../long-tests/select-long-tests.ts';

const TABLE = { 'services/api/src/search/': ['api/a.test.ts'], 'services/api/src/search/pages/': ['api/b.test.ts'], 'packages/web/': [] };

describe('the long tests that run after a change', () => {
  it.each<[string, string[] | undefined, string[] | 'all']>([
    ['of a source are those of its row', ['services/api/src/search/list.ts'], ['api/a.test.ts']],
    ['of a source in several rows are those of all of them', ['services/api/src/search/pages/x.ts'], ['api/a.test.ts', 'api/b.test.ts']],
    ['of several sources contain each file once', ['services/api/src/search/a.ts', 'services/api/src/search/b.ts'], ['api/a.test.ts']],
    ['of a source that cannot break any are none', ['packages/web/src/page/main.tsx', 'docs/api.md', 'README.md'], []],
    ['of a source without a row are all', ['packages/web/build.ts', 'services/new/main.ts'], 'all'],
    ['of a test file are its own', ['test/pipeline/faults/redis.test.ts'], ['pipeline/faults/redis.test.ts']],
    ['of what tests share are all', ['test/support/cluster.ts'], 'all'],
    ['of a dependency are all', ['pnpm-lock.yaml'], 'all'],
    ['of nothing are none', [], []],
    ['that is not known, because there is no history, are all', undefined, 'all'],
  ])('%s', (_, changed, expected) => {
    expect(selectLongTests(changed, TABLE)).toEqual(expected);
  });
});

describe('the table of long tests', () => {
  const inTest = globSync('{api,browser,environments,model,pipeline,pipeline/faults}/*.test.ts', { cwd: `${CHECKOUT}test` });
  const named = new Set(Object.values(LONG_TESTS).flat());

  it('has rows of sources that exist', () => {
    const sources = globSync('{services,packages,test/model}/**/*.*', { cwd: CHECKOUT, exclude: ['**/node_modules/**'] });
    expect(Object.keys(LONG_TESTS).filter((row) => !sources.some((source) => source.startsWith(row)))).toEqual([]);
  });

  it('names every test file that has long tests, and no other', () => {
    const isLong = (file: string): boolean => /\b(long\.|rows\(|runs\(|rounds\(\))/.test(readFileSync(`${CHECKOUT}test/${file}`, 'utf8'));
    expect([...named].toSorted()).toEqual(inTest.filter(isLong).toSorted());
  });
});
