import { createCommand, EXIT, failWith, runCommand } from '@ugc/shared/cli/command';
import { printLine } from '@ugc/shared/cli/output';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { CHECKS, passedChecks, problemsOf, recordPassed, stateOf } from './checks.ts';
import { releaseCommands, writeFiles } from './files.ts';

/** They compare what is kept with the source, and write it. */
const FREEZING_TESTS = ['unit/compatibility', 'api/compatibility', 'api/client-package'];

type Options = { freeze?: boolean; test?: boolean };

const command = createCommand({
  name: 'npx pnpm release',
  description:
    'Checks that this commit is the release of package.json, writes its files, and prints what publishes it. It publishes nothing.',
  exitCodes: {
    [EXIT.done]: 'done',
    [EXIT.badResult]: 'something is missing, or a check has failed',
    [EXIT.usage]: 'the arguments are wrong',
  },
  example: 'npx pnpm release --test && npx pnpm release',
})
  .option('--freeze', 'keep what this version promises, in test/kept, before CHANGELOG.md has its date')
  .option('--test', `run the checks that have not passed on this commit: ${CHECKS.join(', ')}`)
  .action(({ freeze, test }: Options) => {
    const done = freeze ? run(['test', ...FREEZING_TESTS], { FREEZE_RELEASE: '1' }) : test ? runChecks() : release();
    process.exitCode = done ? EXIT.done : EXIT.badResult;
  });
await runCommand(command, failWith(EXIT.badResult));

/** @returns whether all have passed; after a failure or Ctrl-C, the next call goes on */
function runChecks(): boolean {
  const { commit, changes } = stateOf(CHECKOUT);
  if (changes.length > 0) throw new Error(`Commit first, since a check is one of a commit: ${changes.join(', ')}`);
  const passed = passedChecks(CHECKOUT, commit);
  for (const check of CHECKS.filter((name) => !passed.includes(name))) {
    printLine(`npx pnpm ${check}`);
    if (!run(check.split(' '))) return false;
    recordPassed(CHECKOUT, commit, check);
  }
  return true;
}

function release(): boolean {
  const state = stateOf(CHECKOUT);
  const problems = problemsOf(CHECKOUT, state);
  for (const problem of problems) printLine(`Missing: ${problem}`);
  if (problems.length > 0) return false;
  const folder = join(CHECKOUT, `.local/release-${state.version}`);
  for (const file of writeFiles(CHECKOUT, state.version, folder)) printLine(`Wrote ${file}`);
  printLine(`\nCommit ${state.commit} is ${state.version}. What publishes it:\n`);
  for (const line of releaseCommands(CHECKOUT, state)) printLine(line);
  return true;
}

function run(args: string[], env: NodeJS.ProcessEnv = {}): boolean {
  return spawnSync('npx', ['pnpm', ...args], { cwd: CHECKOUT, stdio: 'inherit', env: { ...process.env, ...env } }).status === 0;
}
