/** Prints a machine-readable summary line at the end of a run. */
export default class PlainSummary {
  onRunComplete(_contexts, results) {
    // A file that cannot be loaded counts as failed.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    process.once('exit', () => console.log(`${results.numPassedTests} passed, ${failed} failed`));
  }
}
