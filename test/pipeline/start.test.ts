import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { familyOf, killAll, signalFamily } from '@ugc/local-stack/process-family';
import { commandLine, processTable } from '@ugc/local-stack/process-table';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import type { OperationsStatus } from '@ugc/shared/contracts/operations-status';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseEnv } from 'node:util';
import pg from 'pg';
import { uniqueName } from '../support/database/database.ts';
import { dataFolder } from '../support/servers/data-folder.ts';
import { freePorts } from '../support/cluster/cluster-servers.ts';
import { long, rows } from '../support/jest/long.ts';
import { until } from '../support/jest/until.ts';
import { apiCommand } from '../support/processes/command.ts';
import type { Environment } from '../support/processes/environment.ts';

const PORTS = ['PORT', 'OPERATIONS_PORT', 'INDEXER_PORT'];

let child: ChildProcess | undefined;
let folder = '';
async function end(): Promise<void> {
  for (const { pid } of child?.exitCode === null ? familyOf(child.pid ?? 0) : []) signalFamily(pid, 'SIGTERM');
  await killAll(processesOn(folder || 'no folder'));
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}

const SCRIPT = [process.execPath, join(CHECKOUT, 'packages/local-stack/src/commands/start.ts')];

async function start(env: Record<string, string> = {}, [command = '', ...args]: string[] = SCRIPT, again = '') {
  folder = again || (await dataFolder('start-'));
  const ports = await freePorts(PORTS.length);
  const settings = { LOCAL_DATA_DIR: folder, ...Object.fromEntries(PORTS.map((name, n) => [name, String(ports[n])])), ...env };
  const { DATABASE_URL: _d, REDIS_URL: _r, ELASTICSEARCH_URL: _e, JWT_SECRET: _s, ...inherited } = process.env;
  child = spawn(command, args, { cwd: CHECKOUT, env: { ...inherited, ...settings }, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit') as Promise<[number]>;
  const printed = { examples: '', messages: '' };
  child.stderr?.on('data', (chunk: Buffer) => (printed.messages += chunk.toString()));
  child.stdout?.on('data', (chunk: Buffer) => (printed.examples += chunk.toString()));
  return { ended, printed, messages: text(child.stderr as NonNullable<ChildProcess['stderr']>) };
}

const processesOn = (data: string) => processTable().filter(({ pid }) => commandLine(pid).includes(data));

/** What runs during a start, one after the other. */
const STAGES: [string, RegExp][] = [
  ['Elasticsearch is prepared', /org\.elasticsearch\.launcher\.CliToolLauncher/],
  ['PostgreSQL creates its data folder', /bin\/initdb/],
  ['Elasticsearch starts', /-m org\.elasticsearch\.server\//],
  ['the tables are created', /commands\/migrate\.ts/],
  ['the demo collection is loaded', /commands\/welcome\.ts/],
];

type Printed = { examples: string; messages: string };
const isComplete = (printed: Printed) => until('examples are printed', () => printed.examples.includes('Get one item:'));
const findStage = (stage: RegExp) => familyOf(child?.pid ?? 0).find(({ pid }) => stage.test(commandLine(pid)));

/** Kills a start at a stage, also what would end its servers, and starts again in the same folder. */
async function startAfterInterrupted(stage = /./): Promise<Awaited<ReturnType<typeof start>>> {
  const { ended } = await start();
  await until('the stage is reached', () => findStage(stage) !== undefined, undefined, 5);
  const guards = processesOn(folder).filter(({ pid }) => commandLine(pid).includes('end-leftovers.ts'));
  for (const pid of [child?.pid ?? 0, ...guards.map((guard) => guard.pid)]) process.kill(pid, 'SIGKILL');
  await ended;
  return start({}, SCRIPT, folder);
}

describe(`npx pnpm start, after one that was interrupted by kill -9, also of what would end its servers, while ${STAGES[0]?.[0]}`, () => {
  let printed: Printed;
  let ended: Promise<[number]>;
  beforeAll(async () => {
    ({ printed, ended } = await startAfterInterrupted(STAGES[0]?.[1]));
    await isComplete(printed);
  });
  afterAll(end);

  it('prints the address of the web page first, and examples that work, and shows operators no failure', async () => {
    const [, list = ''] = /^curl -s '(http\S+)'/m.exec(printed.examples) ?? [];
    const [, authorization = ''] = /Authorization: (Bearer [\w.-]+)/.exec(printed.examples) ?? [];
    const page = await fetch(list, { headers: { authorization } }).then((response) => response.json() as Promise<{ content: object[] }>);
    expect(page.content).toHaveLength(3);
    const [, address = '', fragment = ''] = /^Open (\S+)#(\S+)\n/.exec(printed.examples) ?? [];
    expect(`Bearer ${new URLSearchParams(fragment).get('token')}`).toBe(authorization);
    expect(await fetch(address).then((response) => response.text())).toContain('<script type="module"');
    const { OPERATIONS_PORT: port } = parseEnv(await readFile(join(folder, 'env'), 'utf8'));
    const status = (await fetch(`http://localhost:${port}/status`).then((response) => response.json())) as OperationsStatus;
    expect(status.requests.map(({ failures }) => failures)).toEqual(status.requests.map(() => 0));
    const [documentation = ''] = /http\S+\/docs\b/.exec(printed.examples) ?? [];
    expect(await fetch(documentation).then((response) => response.text())).toContain('swagger-ui');
    expect(parseEnv(await readFile(join(folder, 'env'), 'utf8'))['PORT']).toBe(new URL(list).port);
  });

  it('ends every process that it started at SIGINT', async () => {
    child?.kill('SIGINT');
    expect((await ended)[0]).toBe(0);
    expect(processesOn(folder)).toEqual([]);
  });
});

const FAILURES: [string, string][] = [
  ['-XX:NoSuchOption', "Unrecognized VM option 'NoSuchOption'"],
  // Elasticsearch ends if it cannot enforce its entitlements.
  ['-Djdk.attach.allowAttachSelf=false', 'Elasticsearch ended'],
];

describe('if Elasticsearch cannot start', () => {
  afterEach(end);

  it.each(rows(1, FAILURES))('with %s, npx pnpm start says why, exits with 1, and leaves no process behind', async (option, reason) => {
    const { ended, messages } = await start({ ES_JAVA_OPTS: option });
    expect((await ended)[0]).toBe(1);
    expect(await messages).toContain(reason);
    expect(processesOn(folder)).toEqual([]);
  });
});

describe('a start that was interrupted', () => {
  afterEach(end);

  long.it.each(STAGES.slice(1))(
    'by kill -9, also of what would end its servers, while %s, is completed by the next one',
    async (_, stage) => {
      const { printed } = await startAfterInterrupted(stage);
      await isComplete(printed);
    },
  );

  long.it('by a server that is stopped goes on, and says meanwhile what it waits for', async () => {
    const { printed } = await start();
    await until('Elasticsearch runs', () => findStage(STAGES[2]?.[1] ?? /./) !== undefined, undefined, 5);
    const { pid = 0 } = findStage(STAGES[2]?.[1] ?? /./) ?? {};
    process.kill(pid, 'SIGSTOP');
    await until('it is waited for', () => printed.messages.includes(`Waiting for Elasticsearch (process ${pid})`));
    process.kill(pid, 'SIGCONT');
    await isComplete(printed);
  });
});

const NPX = ['npx', 'pnpm', 'start'];

/** Only PostgreSQL, the API and the indexer are started: the other servers take longer. */
async function startByNpx(command = NPX, settings = {}) {
  const alias = uniqueName();
  const stores = { REDIS_URL: process.env['TEST_REDIS_URL'] ?? '', ELASTICSEARCH_URL: process.env['TEST_ELASTICSEARCH_URL'] ?? '' };
  const started = await start({ CONTENT_ALIAS: alias, QUEUE_PREFIX: alias, ...stores, ...settings }, command);
  return { ...started, complete: () => until('examples are printed', () => started.printed.examples.includes('Get one item:')) };
}
const allEnded = () => until('every process has ended', () => processesOn(folder).length === 0);
const startScript = () => {
  const api = processesOn(folder).find(({ pid }) => commandLine(pid).includes('services/api/src/main.ts'));
  return api?.parent ?? 0;
};

describe('npx pnpm start', () => {
  afterEach(end);

  const isServing = async () => {
    const { PORT } = parseEnv(await readFile(join(folder, 'env'), 'utf8'));
    return (await fetch(`http://localhost:${PORT}/health/live`)).ok;
  };

  it('stays up if the command ends that loads the demo collection', async () => {
    const { printed } = await startByNpx(SCRIPT);
    const welcome = () => familyOf(child?.pid ?? 0).find(({ pid }) => commandLine(pid).includes('commands/welcome.ts'));
    await until('the command runs', () => welcome() !== undefined, undefined, 5);
    process.kill(welcome()?.pid ?? 0, 'SIGKILL');
    await until('the start is complete', () => printed.messages.includes('Ctrl-C stops everything'));
    expect(printed.messages).toContain('All servers run without the complete demo collection');
    expect(await isServing()).toBe(true);
  });

  long.it('prints the addresses and stays up if the demo collection is not indexed, and says so', async () => {
    const { printed } = await startByNpx(SCRIPT, { ELASTICSEARCH_URL: 'http://127.0.0.1:9', STORE_TIMEOUT_FACTOR: '1' });
    await until('the start is complete', () => printed.messages.includes('Ctrl-C stops everything'));
    expect(printed.examples).toContain('Get one item:');
    expect(printed.messages).toMatch(/Waiting until the demo collection is indexed: 0 of \d+ items/);
    expect(printed.messages).toMatch(/the demo collection is still being indexed \(0 of \d+ items can be searched/);
    expect(await isServing()).toBe(true);
  });

  long.it('ends every process when npx gets SIGTERM during the start', async () => {
    await startByNpx();
    await until('the API starts', () => startScript() !== 0);
    child?.kill('SIGTERM');
    await allEnded();
  });

  long.it('ends every process when npx gets SIGKILL, which does not reach the script', async () => {
    const { complete } = await startByNpx();
    await complete();
    child?.kill('SIGKILL');
    await allEnded();
  });

  long.it('leaves no server running when the script is killed, as pnpm does when it is killed', async () => {
    const { complete } = await startByNpx();
    await complete();
    process.kill(startScript(), 'SIGKILL');
    await allEnded();
  });

  long.it('goes on when the shell that has started npx in the background ends', async () => {
    const { ended, complete } = await startByNpx(['sh', '-c', 'npx pnpm start & exit']);
    await ended;
    await complete();
    expect(processesOn(folder)).not.toEqual([]);
    process.kill(startScript(), 'SIGTERM');
    await allEnded();
  });
});

describe('npx pnpm start with the keys of a provider, by npx', () => {
  const issuer = 'http://127.0.0.1:9/realms/none';
  let printed: Printed;
  beforeAll(async () => {
    const provider = { JWT_JWKS_URL: `${issuer}/certs`, JWT_ISSUER: issuer, OIDC_CLIENT_ID: 'the-page' };
    ({ printed } = await startByNpx(NPX, provider));
    await until('examples are printed', () => printed.examples.includes('Upload:'));
  });
  afterAll(end);

  it('prints where users sign in once the demo is indexed, and npx pnpm run token says why it cannot sign', async () => {
    const env = parseEnv(await readFile(join(folder, 'env'), 'utf8'));
    expect(printed.examples).toMatch(`Open http://localhost:${env['PORT']}/ and sign in at ${issuer}.\n`);
    expect(printed.examples).toContain('USERS_FROM_TOKENS');
    const counts = `select (select count(*)::int from content) as items, (select count(*)::int from index_outbox) as pending`;
    const client = new pg.Client(env['DATABASE_URL']);
    await client.connect();
    const [row] = (await client.query<Record<string, number>>(counts)).rows;
    await client.end();
    expect(row).toEqual({ items: expect.any(Number), pending: 0 });
    expect(row?.['items']).toBeGreaterThan(0);
    const token = await apiCommand(env as Environment, 'token', '--user', '1');
    expect(token).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(`${issuer}/certs (JWT_JWKS_URL)`) });
  });

  it('ends every process when npx gets SIGTERM, which does not reach the script', async () => {
    child?.kill('SIGTERM');
    await allEnded();
  });
});
