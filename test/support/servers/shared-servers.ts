import { removeStack } from '@ugc/local-stack/remove-stack';
import { migrate } from '@ugc/shared/postgres/migrate';
import { buildPages } from '@ugc/web/build/build-pages';
import { chromiumPath } from '../browser/chromium.ts';
import { createDatabase, TEMPLATE_DATABASE } from '../database/database.ts';
import { startTestServers } from './test-servers.ts';

/**
 * Starts the servers that all test files share, unless TEST_DATABASE_URL is set because another program has started
 * them. @returns what stops them
 */
export async function startSharedServers(): Promise<() => Promise<void>> {
  await Promise.all([buildPages(), chromiumPath()]);
  const stack = process.env['TEST_DATABASE_URL'] ? undefined : await startTestServers();
  await migrate(await createDatabase(TEMPLATE_DATABASE));
  return async () => {
    if (!stack) return;
    await stack.stop();
    await removeStack(stack.dataDir);
  };
}
