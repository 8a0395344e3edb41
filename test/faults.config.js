import config from './jest.config.js';

/** Tests that kill, suspend and disconnect real servers. Run by `npx pnpm test:faults`. */
export default { ...config, testMatch: ['<rootDir>/pipeline/faults/*.test.ts'] };
