import { CHECKOUT } from '@ugc/local-stack/service-process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One JSON line for each test file of the last run, which the environment of the tests writes. */
export const RECORD = join(CHECKOUT, '.local', 'test-record.jsonl');

const SHOWN = 20;

type Line = { file: string; tests: number; seconds: number; cpuSeconds: number; processes: number; servers: number };

/** Prints the test files of the last run that took most processor time. */
export function printSlowest(): void {
  if (!existsSync(RECORD)) return console.error('There is no record of a run. Run `npx pnpm test` first.');
  const lines = readFileSync(RECORD, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const sum = (of: 'seconds' | 'cpuSeconds'): number => Math.round(lines.reduce((total, line) => total + line[of], 0));
  console.table(lines.toSorted((a, b) => b.cpuSeconds - a.cpuSeconds).slice(0, SHOWN));
  console.log(`${lines.length} files, ${sum('seconds')} s, ${sum('cpuSeconds')} s of processor time (without that of the servers)`);
}
