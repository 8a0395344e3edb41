export default {
  testMatch: ['<rootDir>/{unit,api,pipeline}/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/support/strip-types.js' },
  globalSetup: '<rootDir>/support/start-servers.ts',
  globalTeardown: '<rootDir>/support/stop-servers.ts',
  reporters: ['default', '<rootDir>/support/plain-summary.js'],
  testTimeout: 180_000,
  maxWorkers: 2,
};
