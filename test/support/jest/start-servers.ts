import { migrate } from '@ugc/shared/stores/migrate';
import { buildPages } from '@ugc/web/build/build-pages';
import type { Config } from '@jest/types';
import { chromiumPath } from '../browser/chromium.ts';
import { createDatabase, TEMPLATE_DATABASE, writeWithoutSync } from '../database/database.ts';
import { startTestServers } from '../servers/test-servers.ts';

/** Starts the servers of a test run. */
export default async function startForTests({ testPathPatterns }: Config.GlobalConfig): Promise<void> {
  if (needNoServers(testPathPatterns.patterns)) return;
  await startServers();
  await writeWithoutSync();
}

/** Starts the servers, unless TEST_DATABASE_URL is set because another program has started them. */
export async function startServers(): Promise<void> {
  await Promise.all([buildPages(), chromiumPath()]);
  if (!process.env['TEST_DATABASE_URL']) globalThis.testStack = await startTestServers();
  await migrate(await createDatabase(TEMPLATE_DATABASE));
}

// Unit tests and the protocol's model run in seconds without servers.
function needNoServers(patterns: string[]): boolean {
  return patterns.length > 0 && patterns.every((pattern) => /^(unit|model)[\w./-]*$/.test(pattern));
}
