import { afterEach, expect, it } from '@jest/globals';
import { familyOf } from '@ugc/local-stack/process-family';
import { commandLine, processTable } from '@ugc/local-stack/process-table';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseEnv } from 'node:util';
import { dataFolder } from '../support/data-folder.ts';
import { freePorts } from '../support/cluster-servers.ts';
import { until } from '../support/until.ts';

const PORTS = ['PORT', 'OPERATIONS_PORT', 'INDEXER_PORT', 'LOCAL_POSTGRES_PORT', 'LOCAL_REDIS_PORT', 'LOCAL_ELASTICSEARCH_PORT'];

let child: ChildProcess | undefined;
let folder = '';
afterEach(async () => {
  for (const { pid } of child?.exitCode === null ? familyOf(child.pid ?? 0) : []) process.kill(pid, 'SIGTERM');
  await rm(folder, { recursive: true, force: true });
});

async function start(env: Record<string, string> = {}) {
  folder = await dataFolder('start-');
  const ports = await freePorts(PORTS.length);
  const settings = { LOCAL_DATA_DIR: folder, ...Object.fromEntries(PORTS.map((name, n) => [name, String(ports[n])])), ...env };
  const { DATABASE_URL: _d, REDIS_URL: _r, ELASTICSEARCH_URL: _e, JWT_SECRET: _s, ...inherited } = process.env;
  const script = join(CHECKOUT, 'packages/local-stack/src/commands/start.ts');
  child = spawn(process.execPath, [script], { env: { ...inherited, ...settings }, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit') as Promise<[number]>;
  const printed = { examples: '' };
  child.stdout?.on('data', (chunk: Buffer) => (printed.examples += chunk.toString()));
  return { ended, printed, messages: text(child.stderr as NonNullable<ChildProcess['stderr']>) };
}

const processesOn = (data: string) => processTable().filter(({ pid }) => commandLine(pid).includes(data));

it('npx pnpm start prints the address of the web page first, and examples that work, and SIGINT ends every process that it started', async () => {
  const { ended, printed } = await start();
  await until('examples are printed', () => printed.examples.includes('Get one item:'));
  const [, list = ''] = /^curl -s '(http\S+)'/m.exec(printed.examples) ?? [];
  const [, authorization = ''] = /Authorization: (Bearer [\w.-]+)/.exec(printed.examples) ?? [];
  const page = await fetch(list, { headers: { authorization } }).then((response) => response.json() as Promise<{ content: object[] }>);
  expect(page.content).toHaveLength(3);
  const [, address = '', fragment = ''] = /^Open (\S+)#(\S+)\n/.exec(printed.examples) ?? [];
  expect(`Bearer ${new URLSearchParams(fragment).get('token')}`).toBe(authorization);
  expect(await fetch(address).then((response) => response.text())).toContain('<script type="module"');
  const [documentation = ''] = /http\S+\/docs\b/.exec(printed.examples) ?? [];
  expect(await fetch(documentation).then((response) => response.text())).toContain('swagger-ui');
  expect(parseEnv(await readFile(join(folder, 'env'), 'utf8'))['PORT']).toBe(new URL(list).port);
  child?.kill('SIGINT');
  expect((await ended)[0]).toBe(0);
  expect(processesOn(folder)).toEqual([]);
});

it.each([
  ['-XX:NoSuchOption', "Unrecognized VM option 'NoSuchOption'"],
  // Elasticsearch ends if it cannot enforce its entitlements.
  ['-Djdk.attach.allowAttachSelf=false', 'Elasticsearch ended'],
])('if Elasticsearch cannot start with %s, npx pnpm start says why, exits with 1, and leaves no process behind', async (option, reason) => {
  const { ended, messages } = await start({ ES_JAVA_OPTS: option });
  expect((await ended)[0]).toBe(1);
  expect(await messages).toContain(reason);
  expect(processesOn(folder)).toEqual([]);
});
