/** Ends a run with one plain line for whoever reads it by machine. */
export default class PlainSummary {
  onRunComplete(_contexts, results) {
    // A file that can't even be loaded has no tests, yet has failed.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    process.once('exit', () => console.log(`${results.numPassedTests} passed, ${failed} failed`));
  }
}
