/** Ends the run at the first failed test and prints its name: one failure is enough to detect a mutant. */
export default class FirstFailure {
  onTestCaseResult(_test, { status, fullName }) {
    if (status !== 'failed') return;
    console.log(`FAILED ${fullName}`);
    process.exit(1);
  }

  onTestFileResult(_test, { testExecError }) {
    if (testExecError) console.log(`NOT RUN ${testExecError.message.split('\n')[0]}`);
  }

  onRunComplete(_contexts, { numPassedTests }) {
    console.log(`PASSED ${numPassedTests}`);
  }
}
