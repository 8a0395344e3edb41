import { CHECKOUT } from '@ugc/local-stack/service-process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { copyCheckout } from './copy-checkout.ts';
import { MUTANTS } from './index.ts';
import type { Mutant } from './mutant.ts';
import { startMutantServers, type MutantServers } from './mutant-servers.ts';
import { leftoversIn } from '../support/test-servers.ts';
import { runTests, type Outcome } from './run-tests.ts';

/**
 * Applies each mutant alone to a copy of the checkout and runs the test file that must notice it. Run by `npx pnpm test:mutants`;
 * words select the mutants whose file or test contains one of them.
 */
const COPIES = join(CHECKOUT, '.local', 'mutants');
const COPY = join(COPIES, String(process.pid));
const BASELINE_LIMIT_MS = 600_000;
const LEAST_LIMIT_MS = 30_000;

type Verdict = { verdict: 'killed' | 'SURVIVED' | 'not applied' | 'baseline fails' | 'broken'; detail: string; seconds: number };
type Result = Verdict & { mutant: Mutant };

const { values, positionals } = parseArgs({ options: { list: { type: 'boolean', default: false } }, allowPositionals: true });
const chosen = MUTANTS.filter(({ file, test }) => positionals.length === 0 || positionals.some((word) => `${file} ${test}`.includes(word)));
if (values.list) for (const mutant of chosen) console.log(`${describe(mutant)}\n    - ${mutant.from}\n    + ${mutant.to}`);
else process.exitCode = report(await runAll());

async function runAll(): Promise<Result[]> {
  for (const folder of await leftoversIn(COPIES)) rmSync(folder, { recursive: true });
  mkdirSync(COPY, { recursive: true });
  copyCheckout(CHECKOUT, COPY);
  const servers = await startMutantServers();
  const end = async (): Promise<void> => {
    await servers.stop();
    rmSync(COPY, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end().finally(() => process.exit(130)));
  const results: Result[] = [];
  try {
    for (const [test, mutants] of Map.groupBy(chosen, (mutant) => mutant.test)) {
      const baseline = await runTests(COPY, test, BASELINE_LIMIT_MS);
      await servers.clean();
      console.log(
        `${test}: ${baseline.kind === 'passed' ? 'passes' : 'FAILS'} unchanged (${Math.round(baseline.seconds)} s) ${baseline.detail}`.trimEnd(),
      );
      for (const mutant of mutants) {
        const result = { mutant, ...(await tryMutant(mutant, baseline, servers)) };
        results.push(result);
        console.log(`${results.length}/${chosen.length} ${lineOf(result)}`);
      }
    }
  } finally {
    await end();
  }
  return results;
}

async function tryMutant({ file, from, to, test }: Mutant, baseline: Outcome, servers: MutantServers): Promise<Verdict> {
  if (baseline.kind !== 'passed') return { verdict: 'baseline fails', detail: '', seconds: 0 };
  const path = join(COPY, file);
  if (!existsSync(path)) return { verdict: 'not applied', detail: 'there is no such file', seconds: 0 };
  const source = readFileSync(path, 'utf8');
  const occurrences = source.split(from).length - 1;
  if (occurrences !== 1) return { verdict: 'not applied', detail: `its text is in the file ${occurrences} times`, seconds: 0 };
  const changed = source.replace(from, () => to);
  if (file.endsWith('.ts') && !parses(changed)) return { verdict: 'broken', detail: 'the changed file does not parse', seconds: 0 };
  try {
    writeFileSync(path, changed);
    return verdictOf(await runTests(COPY, test, LEAST_LIMIT_MS + 3_000 * baseline.seconds));
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
  const standing = results.filter(({ verdict }) => verdict !== 'killed');
  if (standing.length > 0) console.log('\nNot killed:');
  for (const result of standing) console.log(lineOf(result));
  console.log(`${results.length - standing.length} passed, ${standing.length} failed`);
  return standing.length > 0 ? 1 : 0;
}

function lineOf({ mutant, verdict, detail, seconds }: Result): string {
  return `${verdict} (${Math.round(seconds)} s) ${describe(mutant)}${detail && `\n    ${detail}`}`;
}

function describe({ file, why, test }: Mutant): string {
  return `${file} · ${test}: ${why}`;
}
