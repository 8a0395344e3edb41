import { createCommand, EXIT, parseWith, runCommand } from '@ugc/shared/cli/command';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { z } from 'zod';
import { copyCheckout } from './copy-checkout.ts';
import { MUTANTS } from './index.ts';
import { mutate, type Mutant } from './mutant.ts';
import { startMutantServers, type MutantServers } from './mutant-servers.ts';
import { leftoversIn } from '../../test/support/servers/test-servers.ts';
import { GENERATED } from './generated/files.ts';
import { runGenerated, type GeneratedResult } from './generated/run-generated.ts';
import { parses } from './parses.ts';
import { changedFiles } from '../../test/run/history.ts';
import { runTests, type Outcome } from './run-tests.ts';
import { TestThread } from './thread.ts';

const COPIES = join(CHECKOUT, '.local', 'mutants');
const COPY = join(COPIES, String(process.pid));
const BASELINE_LIMIT_MS = 600_000;
const MIN_LIMIT_MS = 30_000;

type Verdict = { verdict: 'killed' | 'SURVIVED' | 'not applied' | 'baseline fails' | 'broken'; detail: string; seconds: number };
type Result = Verdict & { mutant: Mutant };

const NOT_PARSED: Verdict = { verdict: 'broken', detail: 'the changed file does not parse', seconds: 0 };

/** Of a file, without `--all`. */
const SAMPLE = 100;

const GENERATED_VERDICTS: Record<GeneratedResult['verdict'], string> = {
  killed: 'killed',
  survived: 'survived, as listed',
  NEW: 'SURVIVED: add a test, or an entry with the reason in tools/mutants/generated/survivors.json',
  LISTED: 'killed, but in the list of survivors: remove its entry',
  'baseline fails': 'its tests, or the type checker, fail unchanged',
};

type Part = { part: number; parts: number };
type Options = { list?: boolean; all?: boolean; part?: Part };

const parsePart = parseWith(
  '--part',
  z
    .string()
    .regex(/^\d+\/\d+$/, 'must be two numbers, such as 1/4')
    .transform((text) => text.split('/').map(Number))
    .transform(([part = 0, parts = 0]) => ({ part, parts }))
    .refine(({ part, parts }) => part >= 1 && part <= parts, 'must be at least 1/N and at most N/N'),
);

const command = createCommand({
  name: 'npx pnpm test:mutants',
  description:
    'Applies each mutant alone to a copy of the checkout and runs the tests that must detect it: the mutants of tools/mutants, and those ' +
    'made by machine, of the files that differ from the first parent of HEAD.',
  exitCodes: {
    [EXIT.done]: 'every mutant was detected',
    [EXIT.badResult]: 'a mutant was not detected',
    [EXIT.usage]: 'the arguments are wrong',
    [EXIT.stopped]: 'stopped',
  },
  example: 'npx pnpm test:mutants generated packages/text/src/ways/ways.ts',
})
  .argument('[words...]', 'only mutants whose file or test contains one of these words; first the word `generated`: those made by machine')
  .option('--all', `all that are made by machine, instead of ${SAMPLE} of each file`)
  .option('--list', 'list the mutants and run nothing')
  .option('--part <K/N>', 'only part K of N, such as 1/4; those of one test are in the same part', parsePart)
  .action(async (words: string[], { list = false, all = false, part }: Options) => {
    const isGenerated = words[0] === 'generated';
    const wanted = isGenerated ? words.slice(1) : words;
    const isWanted = (text: string): boolean => wanted.length === 0 || wanted.some((word) => text.includes(word));
    const chosen = isGenerated ? [] : partOf(MUTANTS, part).filter(({ file, test }) => isWanted(`${file} ${test}`));
    const changed = isGenerated && (all || wanted.length > 0) ? undefined : changedFiles();
    const files = Object.entries(GENERATED).filter(
      ([file, { tests }]) => isWanted(`${file} ${tests.join(' ')}`) && (changed?.includes(file) ?? true),
    );
    const names = (part?.part ?? 1) === 1 ? files.map(([file]) => file) : [];
    if (list) {
      for (const mutant of chosen) console.log(`${describe(mutant)}\n    - ${mutant.from}\n    + ${mutant.to}`);
      for (const file of names) console.log(`${file}: made by machine`);
    } else {
      const generated = await runMachineMade(names, all ? Infinity : SAMPLE);
      process.exitCode = report(await runAll(chosen), generated);
    }
  });
await runCommand(command, (error) => ({ message: String(error instanceof Error ? error.stack : error), exitCode: EXIT.badResult }));

/** Parts have about as many mutants each; a test runs unchanged once, before its mutants. */
function partOf(mutants: Mutant[], { part, parts }: Part = { part: 1, parts: 1 }): Mutant[] {
  const counts = Array.from({ length: parts }, () => 0);
  const ofTests = [...Map.groupBy(mutants, ({ test }) => test).values()].toSorted((one, other) => other.length - one.length);
  return ofTests.flatMap((ofTest) => {
    const at = counts.indexOf(Math.min(...counts));
    counts[at] = (counts[at] ?? 0) + ofTest.length;
    return at === part - 1 ? ofTest : [];
  });
}

async function runMachineMade(files: string[], sampled: number): Promise<GeneratedResult[]> {
  const results: GeneratedResult[] = [];
  await runGenerated(files, sampled, (result) => {
    results.push(result);
    if (!isExpected(result)) console.log(lineOfGenerated(result));
  });
  for (const [file, tried] of Map.groupBy(results, (result) => result.file)) {
    const count = (verdict: GeneratedResult['verdict']): number => tried.filter((result) => result.verdict === verdict).length;
    console.log(`${file}: of ${tried.length} made by machine, ${count('killed')} killed, ${count('survived')} survived as listed`);
  }
  return results;
}

async function runAll(chosen: Mutant[]): Promise<Result[]> {
  const results: Result[] = [];
  const add = (result: Result): void => {
    results.push(result);
    console.log(`${results.length}/${chosen.length} ${lineOf(result)}`);
  };
  const others: Mutant[] = [];
  for (const [test, mutants] of Map.groupBy(chosen, (mutant) => mutant.test)) {
    const thread = test.startsWith('unit/') ? new TestThread({ checkout: CHECKOUT, tests: [test] }) : undefined;
    if (thread && (await passesIn(thread, test))) await tryAllIn(thread, mutants, results, add);
    else others.push(...mutants);
    await thread?.end();
  }
  if (others.length > 0) await runOnServers(others, add);
  return results;
}

/** Whether the test file needs neither a server nor what only Jest has, and passes. */
async function passesIn(thread: TestThread, test: string): Promise<boolean> {
  const { kind, seconds } = await thread.runUnchanged();
  if (kind === 'passed') console.log(`${test}: passes unchanged, in a thread (${seconds.toFixed(1)} s)`);
  return kind === 'passed';
}

/** Adds each result at once. A test that fails may leave state behind, by which others fail: then each mutant has its own thread. */
async function tryAllIn(thread: TestThread, mutants: Mutant[], results: Result[], add: (result: Result) => void): Promise<void> {
  for (const mutant of mutants) add(await tryInThread(mutant, thread));
  if (await thread.stillPasses(mutants.at(-1)?.file ?? '')) return;
  console.log('A mutant has left state behind: each one is tried again in a thread of its own.');
  results.length -= mutants.length;
  for (const mutant of mutants) {
    await thread.end();
    add(await tryInThread(mutant, thread));
  }
}

async function tryInThread(mutant: Mutant, thread: TestThread): Promise<Result> {
  const { file } = mutant;
  const source = mutate(readFileSync(join(CHECKOUT, file), 'utf8'), mutant);
  if (!parses(source)) return { mutant, ...NOT_PARSED };
  return { mutant, ...verdictOf(await thread.run({ file, source: stripTypeScriptTypes(source) })) };
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

function verdictOf({ kind, detail, seconds }: Outcome): Verdict {
  if (kind === 'passed') return { verdict: 'SURVIVED', detail, seconds };
  if (kind === 'broken') return { verdict: 'broken', detail, seconds };
  return { verdict: 'killed', detail: kind === 'hung' ? detail : `by: ${detail}`, seconds };
}

/** @returns the exit code */
function report(results: Result[], generated: GeneratedResult[]): number {
  const undetected = results.filter(({ verdict }) => verdict !== 'killed');
  const unexpected = generated.filter((result) => !isExpected(result));
  const failed = undetected.length + unexpected.length;
  if (failed > 0) console.log('\nNot detected:');
  for (const result of undetected) console.log(lineOf(result));
  for (const result of unexpected) console.log(lineOfGenerated(result));
  console.log(`${results.length + generated.length - failed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}

function isExpected({ verdict }: GeneratedResult): boolean {
  return verdict === 'killed' || verdict === 'survived';
}

function lineOfGenerated({ file, mutant, verdict, detail }: GeneratedResult): string {
  const entry = mutant && JSON.stringify({ from: mutant.from, to: mutant.to, ...(mutant.nth > 1 && { nth: mutant.nth }) });
  return `${file}${mutant ? `, ${mutant.within}` : ''}: ${GENERATED_VERDICTS[verdict]} ${entry ?? detail}`;
}

function lineOf({ mutant, verdict, detail, seconds }: Result): string {
  return `${verdict} (${seconds.toFixed(1)} s) ${describe(mutant)}${detail && `\n    ${detail}`}`;
}

function describe({ file, why, test }: Mutant): string {
  return `${file} · ${test}: ${why}`;
}
