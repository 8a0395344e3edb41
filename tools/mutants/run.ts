import { createCommand, EXIT, runCommand } from '@ugc/shared/cli/command';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { copyCheckout } from './copy-checkout.ts';
import { MUTANTS } from './index.ts';
import { mutate, type Mutant } from './mutant.ts';
import { startMutantServers, type MutantServers } from './mutant-servers.ts';
import { leftoversIn } from '../../test/support/servers/test-servers.ts';
import { runInThread } from './run-in-thread.ts';
import { runTests, type Outcome } from './run-tests.ts';

const COPIES = join(CHECKOUT, '.local', 'mutants');
const COPY = join(COPIES, String(process.pid));
const BASELINE_LIMIT_MS = 600_000;
const MIN_LIMIT_MS = 30_000;

type Verdict = { verdict: 'killed' | 'SURVIVED' | 'not applied' | 'baseline fails' | 'broken'; detail: string; seconds: number };
type Result = Verdict & { mutant: Mutant };

const NOT_PARSED: Verdict = { verdict: 'broken', detail: 'the changed file does not parse', seconds: 0 };

const command = createCommand({
  name: 'npx pnpm test:mutants',
  description: 'Applies each mutant alone to a copy of the checkout and runs the test file that must detect it.',
  exitCodes: {
    [EXIT.done]: 'every mutant was detected',
    [EXIT.badResult]: 'a mutant was not detected',
    [EXIT.usage]: 'the arguments are wrong',
    [EXIT.stopped]: 'stopped',
  },
  example: 'npx pnpm test:mutants pipeline/audit',
})
  .argument('[words...]', 'only mutants whose file or test contains one of these words')
  .option('--list', 'list the mutants and run nothing')
  .action(async (words: string[], { list = false }: { list?: boolean }) => {
    const chosen = MUTANTS.filter(({ file, test }) => words.length === 0 || words.some((word) => `${file} ${test}`.includes(word)));
    if (list) for (const mutant of chosen) console.log(`${describe(mutant)}\n    - ${mutant.from}\n    + ${mutant.to}`);
    else process.exitCode = report(await runAll(chosen));
  });
await runCommand(command, (error) => ({ message: String(error instanceof Error ? error.stack : error), exitCode: EXIT.badResult }));

async function runAll(chosen: Mutant[]): Promise<Result[]> {
  const results: Result[] = [];
  const add = (result: Result): void => {
    results.push(result);
    console.log(`${results.length}/${chosen.length} ${lineOf(result)}`);
  };
  const others: Mutant[] = [];
  for (const [test, mutants] of Map.groupBy(chosen, (mutant) => mutant.test)) {
    if (await runsInThread(test)) for (const mutant of mutants) add(await tryInThread(mutant));
    else others.push(...mutants);
  }
  if (others.length > 0) await runOnServers(others, add);
  return results;
}

/** Whether the test file needs neither a server nor what only Jest has, and passes. */
async function runsInThread(test: string): Promise<boolean> {
  if (!test.startsWith('unit/')) return false;
  const { kind, seconds } = await runInThread({ checkout: CHECKOUT, test }, BASELINE_LIMIT_MS);
  if (kind === 'passed') console.log(`${test}: passes unchanged, in a thread (${seconds.toFixed(1)} s)`);
  return kind === 'passed';
}

async function tryInThread(mutant: Mutant): Promise<Result> {
  const { file, test } = mutant;
  const source = mutate(readFileSync(join(CHECKOUT, file), 'utf8'), mutant);
  if (!parses(source)) return { mutant, ...NOT_PARSED };
  const changed = { file, source: stripTypeScriptTypes(source) };
  return { mutant, ...verdictOf(await runInThread({ checkout: CHECKOUT, test, changed }, MIN_LIMIT_MS)) };
}

async function runOnServers(chosen: Mutant[], add: (result: Result) => void): Promise<void> {
  for (const folder of await leftoversIn(COPIES)) rmSync(folder, { recursive: true });
  mkdirSync(COPY, { recursive: true });
  copyCheckout(CHECKOUT, COPY);
  const servers = await startMutantServers();
  const end = async (): Promise<void> => {
    await servers.stop();
    rmSync(COPY, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end().finally(() => process.exit(EXIT.stopped)));
  try {
    for (const [test, mutants] of Map.groupBy(chosen, (mutant) => mutant.test)) {
      const baseline = await runTests(COPY, test, BASELINE_LIMIT_MS);
      await servers.clean();
      console.log(
        `${test}: ${baseline.kind === 'passed' ? 'passes' : 'FAILS'} unchanged (${Math.round(baseline.seconds)} s) ${baseline.detail}`.trimEnd(),
      );
      for (const mutant of mutants) add({ mutant, ...(await tryMutant(mutant, baseline, servers)) });
    }
  } finally {
    await end();
  }
}

async function tryMutant(mutant: Mutant, baseline: Outcome, servers: MutantServers): Promise<Verdict> {
  const { file, test } = mutant;
  if (baseline.kind !== 'passed') return { verdict: 'baseline fails', detail: '', seconds: 0 };
  const path = join(COPY, file);
  if (!existsSync(path)) return { verdict: 'not applied', detail: 'the file does not exist', seconds: 0 };
  const source = readFileSync(path, 'utf8');
  const changed = mutate(source, mutant);
  if (file.endsWith('.ts') && !parses(changed)) return NOT_PARSED;
  try {
    writeFileSync(path, changed);
    return verdictOf(await runTests(COPY, test, MIN_LIMIT_MS + 3_000 * baseline.seconds));
  } finally {
    writeFileSync(path, source);
    await servers.clean();
  }
}

function parses(source: string): boolean {
  try {
    stripTypeScriptTypes(source);
    return true;
  } catch {
    return false;
  }
}

function verdictOf({ kind, detail, seconds }: Outcome): Verdict {
  if (kind === 'passed') return { verdict: 'SURVIVED', detail, seconds };
  if (kind === 'broken') return { verdict: 'broken', detail, seconds };
  return { verdict: 'killed', detail: kind === 'hung' ? detail : `by: ${detail}`, seconds };
}

/** @returns the exit code */
function report(results: Result[]): number {
  const undetected = results.filter(({ verdict }) => verdict !== 'killed');
  if (undetected.length > 0) console.log('\nNot detected:');
  for (const result of undetected) console.log(lineOf(result));
  console.log(`${results.length - undetected.length} passed, ${undetected.length} failed`);
  return undetected.length > 0 ? 1 : 0;
}

function lineOf({ mutant, verdict, detail, seconds }: Result): string {
  return `${verdict} (${seconds.toFixed(1)} s) ${describe(mutant)}${detail && `\n    ${detail}`}`;
}

function describe({ file, why, test }: Mutant): string {
  return `${file} · ${test}: ${why}`;
}
