import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

// `npx pnpm release --freeze` keeps what the version of package.json promises, in test/kept, before it gets its date.

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));
/** They compare what is kept, and write it. */
const FREEZING_TESTS = ['unit/compatibility', 'api/compatibility', 'api/client-package'];

const { freeze } = parseArgs({ options: { freeze: { type: 'boolean', default: false } } }).values;
if (freeze) process.exitCode = runTests(FREEZING_TESTS, { FREEZE_RELEASE: '1' });

function runTests(files: string[], env: NodeJS.ProcessEnv): number {
  const { status } = spawnSync('npx', ['pnpm', 'test', ...files], { cwd: CHECKOUT, stdio: 'inherit', env: { ...process.env, ...env } });
  return status ?? 1;
}
