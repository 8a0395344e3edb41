import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';

const REPORTED_LINES = 10;

export type Outcome = { kind: 'passed' | 'failed' | 'hung' | 'broken'; detail: string; seconds: number };

/** Runs one test file of a checkout until its first failure, on the servers that the TEST_* variables name. */
export async function runTests(checkout: string, test: string, limitMs: number): Promise<Outcome> {
  const startedAt = performance.now();
  const folder = join(checkout, 'test');
  const child = spawn(process.execPath, jestArguments(checkout, test), {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = (): void => killGroup(child.pid);
  process.once('exit', kill);
  const lines: string[] = [];
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', (line) => void lines.push(line));
  const { promise: ended, resolve } = Promise.withResolvers<'exit' | 'limit'>();
  child.once('close', () => resolve('exit'));
  const limit = setTimeout(() => resolve('limit'), limitMs);
  const reason = await ended;
  clearTimeout(limit);
  process.off('exit', kill);
  kill();
  const seconds = (performance.now() - startedAt) / 1_000;
  if (reason === 'limit') return { kind: 'hung', detail: `did not end within ${Math.round(limitMs / 1_000)} s`, seconds };
  return { ...outcomeOf(lines, child.exitCode), seconds };
}

function jestArguments(checkout: string, test: string): string[] {
  const reporters = [join(checkout, 'tools', 'mutants', 'first-failure.js'), join(checkout, 'test', 'support', 'jest', 'counts.js')];
  return ['run/run.ts', '--all', ...reporters.map((reporter) => `--reporters=${reporter}`), '--runInBand', `^${test}\\.test\\.ts$`];
}

function outcomeOf(lines: string[], exitCode: number | null): Pick<Outcome, 'kind' | 'detail'> {
  const after = (word: string) => lines.find((line) => line.startsWith(word))?.slice(word.length);
  const failed = after('FAILED ');
  if (failed !== undefined) return { kind: 'failed', detail: failed };
  if (exitCode === 0 && Number(after('PASSED ')) > 0) return { kind: 'passed', detail: '' };
  return { kind: 'broken', detail: after('NOT RUN ') ?? lines.slice(-REPORTED_LINES).join('\n') };
}

// A test that is killed leaves the commands that it started running; they are in its process group.
function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
