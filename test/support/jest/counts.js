import { writeFileSync } from 'node:fs';

/** Writes the number of passed and of failed tests to the file TEST_COUNTS, for `test/run.ts`. */
export default class Counts {
  onRunComplete(_contexts, results) {
    // A file that cannot be loaded counts as failed.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const file = process.env['TEST_COUNTS'];
    if (file) writeFileSync(file, JSON.stringify({ passed: results.numPassedTests, failed }));
  }
}
