// The servers run for minutes only, so optimization (C2) takes more processor time than it saves.
process.env['ES_JAVA_OPTS'] ??= '-XX:TieredStopAtLevel=1';
// A slow machine is no defect. A file whose subject is such a limit begins with `/** @store-timeout-factor 1 */`.
process.env['STORE_TIMEOUT_FACTOR'] ??= '10';

const LANGUAGE_FIGURES = '\\beld/src/entries/static\\.small\\.js$';

/** How `run/run.ts`, which names the files, runs them. */
export default {
  testMatch: (process.env['TEST_FILES'] ?? '**/*.test.ts').split(',').map((file) => `<rootDir>/${file}`),
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/support/jest/strip-types.js', [LANGUAGE_FIGURES]: '<rootDir>/support/jest/share-figures.js' },
  transformIgnorePatterns: [`/node_modules/(?!.*${LANGUAGE_FIGURES})`],
  testEnvironment: '<rootDir>/support/jest/recorded-environment.js',
  testSequencer: '<rootDir>/support/jest/slowest-first.js',
  reporters: ['default', '<rootDir>/support/jest/counts.js'],
  // Only meant to end a test that hangs, also on a machine that does much else.
  testTimeout: 600_000,
  // A process that has loaded most modules takes longer to end than the default of half a second on a busy machine.
  workerGracefulExitTimeout: 30_000,
  // Many tests wait, so four keep two cores busy.
  maxWorkers: 4,
};
