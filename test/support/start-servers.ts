import { migrate } from '@ugc/shared/stores/migrate';
import type { Config } from '@jest/types';
import { createDatabase, TEMPLATE_DATABASE } from './database.ts';
import { startTestServers } from './test-servers.ts';

/** Servers for one run of the tests; a runner that starts several runs may start the servers itself. */
export default async function startServers({ testPathPatterns }: Config.GlobalConfig): Promise<void> {
  if (needNoServers(testPathPatterns.patterns)) return;
  if (!process.env['TEST_DATABASE_URL']) globalThis.testStack = await startTestServers();
  await migrate(await createDatabase(TEMPLATE_DATABASE));
}

// `pnpm test unit` is for the seconds between two thoughts.
function needNoServers(patterns: string[]): boolean {
  return patterns.length > 0 && patterns.every((pattern) => /^unit[\w./-]*$/.test(pattern));
}
