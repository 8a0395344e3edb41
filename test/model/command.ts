import { parseArgs } from 'node:util';
import { RULES, type Rule } from './rules.ts';
import { run, SCENARIOS, type Failure, type Scenario } from './run.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    without: { type: 'string' },
    scenario: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
});

const scenarios = Object.keys(SCENARIOS) as Scenario[];
const chosen = values.scenario === undefined ? scenarios : scenarios.filter((scenario) => scenario === values.scenario);
if (chosen.length === 0) fail(`--scenario must be one of ${scenarios.join(', ')}`);
if (values.without !== undefined && !(values.without in RULES)) fail(`--without must be one of ${Object.keys(RULES).join(', ')}`);

let failed = 0;
for (const scenario of chosen) failed += report(scenario);
process.exitCode = failed > 0 ? 1 : 0;

function report(scenario: Scenario): number {
  const first = new Map<string, Failure>();
  let count = 0;
  const from = Number(values.seed);
  for (let seed = from; seed < from + Number(values.runs); seed++) {
    const failure = run(seed, { scenario, without: values.without as Rule | undefined });
    if (!failure) continue;
    count += 1;
    if (!first.has(failure.kind)) first.set(failure.kind, failure);
  }
  console.log(`${scenario}: ${count} of ${values.runs} runs break the protocol`);
  for (const failure of first.values()) {
    console.log(`  seed ${failure.seed}: ${failure.message}`);
    if (values.trace) console.log(failure.trace.map((line) => `    ${line}`).join('\n'));
  }
  return count;
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
