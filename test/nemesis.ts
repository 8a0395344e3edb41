import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

/** Random faults for as long as one likes; the same seed gives the same faults and pauses. Run by `npx pnpm nemesis`. */
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '30' }, seed: { type: 'string', default: String(Date.now() % 1_000_000) } },
});
const { status } = spawnSync('pnpm', ['--filter', './test', '--silent', 'run', 'test:faults', 'pipeline/faults/nemesis'], {
  stdio: 'inherit',
  env: { ...process.env, NEMESIS_MINUTES: values.minutes, NEMESIS_SEED: values.seed },
});
process.exit(status ?? 1);
