/** Ends a run at the first test that fails and names it: more of them would not say more about a mutant. */
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
