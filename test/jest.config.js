// Servers that live for minutes: to optimize their code for long takes twice the processor time that their start needs.
process.env['ES_JAVA_OPTS'] ??= '-XX:TieredStopAtLevel=1';

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
