// The servers run for minutes only, so optimization (C2) takes more processor time than it saves.
process.env['ES_JAVA_OPTS'] ??= '-XX:TieredStopAtLevel=1';

/** Tests without faults. Run by `npx pnpm test`. */
export default {
  testMatch: ['<rootDir>/{unit,api,browser,model,pipeline,environments,relevance}/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/support/jest/strip-types.js' },
  globalSetup: '<rootDir>/support/jest/start-servers.ts',
  testSequencer: '<rootDir>/support/jest/slowest-first.js',
  globalTeardown: '<rootDir>/support/jest/stop-servers.ts',
  reporters: ['default', '<rootDir>/support/jest/plain-summary.js'],
  // Only meant to end a test that hangs, also on a machine that does much else.
  testTimeout: 600_000,
  // Three keep 2 cores busy for nine tenths of the time.
  maxWorkers: 3,
};
