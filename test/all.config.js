import faults from './faults.config.js';
import config from './jest.config.js';
import { testFully } from './long-tests/fully-tested.ts';

testFully('all');

/** All tests, with the long ones. Run by `npx pnpm test:all`. */
export default { ...faults, testMatch: [...config.testMatch, ...faults.testMatch] };
