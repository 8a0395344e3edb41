import { CHECKOUT } from '@ugc/local-stack/service-process';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeWithoutSync } from '../support/database/database.ts';
import { startSharedServers } from '../support/servers/test-servers.ts';
import { changedFiles } from './history.ts';
import { chooseFiles } from './choose-files.ts';
import { testFully } from './fully-tested.ts';
import { printSlowest, RECORD } from './record.ts';
import { selectLongTests } from './select-long-tests.ts';

// `npx pnpm test`: chooses the files, starts the servers that they share, runs Jest, and prints `N passed, N failed` last.

const HERE = join(CHECKOUT, 'test');
const JEST = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
/** Other runs in this checkout have folders of their own. */
const FOLDER = join(CHECKOUT, '.local', `test-run-${process.pid}`);
const COUNTS = join(FOLDER, 'counts.json');
const OWN_RECORD = join(FOLDER, 'record.jsonl');
const EXIT_MAX_MS = 60_000;

type Counts = { passed: number; failed: number };

const args = process.argv.slice(2).filter((arg) => arg !== '--all');
const isComplete = process.argv.includes('--all');
if (args.includes('--slowest')) printSlowest();
else process.exitCode = await run();

/** @returns the exit code */
async function run(): Promise<number> {
  const patterns = args.filter((arg, n) => !arg.startsWith('-') && args[n - 1] !== '-t');
  const options = args.filter((arg) => !patterns.includes(arg));
  const longTests = isComplete ? 'all' : selectLongTests(changedFiles());
  testFully(longTests);
  const { files, promises } = chooseFiles(globSync('**/*.test.ts', { cwd: HERE, exclude: ['node_modules/**'] }), { patterns, longTests });
  if (files.length + promises.length === 0) throw new Error(`no test file matches ${patterns.join(' ')}`);
  if (patterns.length === 0) console.error(`Long tests: ${[longTests].flat().join(' ') || 'none'}`);
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const needServers = [...files, ...promises].some((file) => !/^(unit|model)\//.test(file));
  // Ctrl-C ends Jest; the servers are then stopped here.
  process.on('SIGINT', () => undefined);
  const stopServers = needServers ? await startSharedServers() : () => undefined;
  try {
    if (needServers) await writeWithoutSync();
    return report([await runJest('jest.config.js', files, options), await runJest('promises.config.js', promises, options)]);
  } finally {
    await stopServers();
    if (existsSync(OWN_RECORD)) copyFileSync(OWN_RECORD, RECORD);
    rmSync(FOLDER, { recursive: true });
  }
}

async function runJest(config: string, files: string[], options: string[]): Promise<Counts> {
  if (files.length === 0) return { passed: 0, failed: 0 };
  rmSync(COUNTS, { force: true });
  const jest = spawn(process.execPath, [...JEST, '--config', config, ...options], {
    cwd: HERE,
    stdio: 'inherit',
    env: { ...process.env, TEST_FILES: files.join(), TEST_COUNTS: COUNTS, TEST_RECORD: OWN_RECORD },
  });
  const exited = once(jest, 'exit');
  const ending = setInterval(() => endIfReported(jest), 1_000);
  await exited;
  clearInterval(ending);
  try {
    return JSON.parse(readFileSync(COUNTS, 'utf8')) as Counts;
  } catch {
    // Jest has ended before its end.
    return { passed: 0, failed: 1 };
  }
}

/** A process of Node whose work is done sometimes runs its event loop for ever (nodejs/node#47748). */
function endIfReported(jest: ChildProcess): void {
  const reportedAt = statSync(COUNTS, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
  if (Date.now() - reportedAt < EXIT_MAX_MS) return;
  console.error(`Jest has not ended ${EXIT_MAX_MS / 1_000} s after its results, and is killed.`);
  jest.kill('SIGKILL');
}

function report(runs: Counts[]): number {
  const sum = (count: keyof Counts): number => runs.reduce((total, run) => total + run[count], 0);
  process.once('exit', () => console.log(`${sum('passed')} passed, ${sum('failed')} failed`));
  return sum('failed') === 0 ? 0 : 1;
}
