import faults from './faults.config.js';
import config from './jest.config.js';
import { changedFiles } from './long-tests/changed-files.ts';
import { testFully } from './long-tests/fully-tested.ts';
import { selectLongTests } from './long-tests/select-long-tests.ts';

const selected = selectLongTests(changedFiles());
testFully(selected);
console.error(`Long tests: ${[selected].flat().join(' ') || 'none'}`);

/** All tests, with the long ones that the change can break. Run by `npx pnpm test:change`. */
export default {
  ...faults,
  testMatch: [...config.testMatch, ...faults.testMatch],
  // The tests of faults mostly wait.
  maxWorkers: 4,
};
