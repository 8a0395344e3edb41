import { removeStack } from '@ugc/local-stack/remove-stack';
import { createCommand, EXIT, runCommand } from '@ugc/shared/cli/command';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { chromiumPath } from '../../test/support/browser/chromium.ts';
import { freePorts } from '../../test/support/cluster/cluster-servers.ts';
import { startAnotherApi } from '../../test/support/processes/api-alone.ts';
import { startService } from '../../test/support/processes/service.ts';
import { withServers } from '../with-servers.ts';
import { keycloakServer } from './keycloak.ts';
import { makeRealm, settingsOf, type Realm } from './realm.ts';
import { VISITS } from './visit.ts';

const command = createCommand({
  name: 'npx pnpm test:keycloak',
  description: 'Starts Keycloak, configures it and the service as docs/operating.md says, and signs in on the web page in Chromium.',
  exitCodes: {
    [EXIT.done]: 'everybody saw what they should',
    [EXIT.badResult]: 'something did not start, or somebody saw something else',
    [EXIT.usage]: 'the arguments are wrong',
    [EXIT.stopped]: 'stopped',
  },
  example: 'npx pnpm test:keycloak',
}).action(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ugc-keycloak-'));
  const failed = await withServers(() => runAll(folder), folder).finally(() => removeStack(folder));
  if (failed > 0) process.exitCode = EXIT.badResult;
});
await runCommand(command, (error) => ({ message: String(error instanceof Error ? error.stack : error), exitCode: EXIT.badResult }));

/** @returns how many visits have failed */
async function runAll(folder: string): Promise<number> {
  const executablePath = await chromiumPath();
  if (executablePath === undefined) throw new Error('CHROME_PATH must name a Chromium on this machine');
  const [keycloakPort = 0, apiPort = 0] = await freePorts(2);
  const pageUrl = `http://localhost:${apiPort}/`;
  const keycloak = keycloakServer({ dataDir: join(folder, 'keycloak'), port: keycloakPort });
  await keycloak.start();
  const realm = await makeRealm(keycloak.url, pageUrl);
  const service = await startService();
  const api = await startAnotherApi({ ...service.env, JWT_SECRET: '', PORT: String(apiPort), ...settingsOf(realm) });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    return await visitAll(browser, pageUrl, realm);
  } finally {
    await browser.close();
    await api.stop();
    await service.stop();
    await keycloak.stop();
  }
}

async function visitAll(browser: Browser, pageUrl: string, realm: Realm): Promise<number> {
  let failed = 0;
  for (const [name, visit] of Object.entries(VISITS)) {
    const error = await visit({ browser, pageUrl, realm }).catch((failure: unknown) => failure);
    console.log(error === undefined ? `done: ${name}` : `FAILED: ${name}\n${String(error)}`);
    if (error !== undefined) failed += 1;
    for (const context of browser.contexts()) await context.close();
  }
  return failed;
}
