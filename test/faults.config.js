import config from './jest.config.js';

/** The fault matrix: minutes of real servers that are killed, stopped and cut off. Run by `npx pnpm test:faults`. */
export default { ...config, testMatch: ['<rootDir>/pipeline/faults/*.test.ts'], testTimeout: 600_000, maxWorkers: 3 };
