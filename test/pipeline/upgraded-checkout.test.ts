import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { familyOf, killAll, signalFamily } from '@ugc/local-stack/process-family';
import { commandLine, processTable } from '@ugc/local-stack/process-table';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCommit, newestRelease } from '../run/history.ts';
import { freePorts } from '../support/cluster/cluster-servers.ts';
import { Repository } from '../support/cluster/cloned-repository.ts';
import { installPackages } from '../support/cluster/release.ts';
import { Client } from '../support/http/client.ts';
import { long } from '../support/jest/long.ts';
import { until } from '../support/jest/until.ts';
import { failureOf } from '../support/processes/command.ts';
import { documentedCommands, runIn } from '../support/processes/documented-commands.ts';
import type { Environment } from '../support/processes/environment.ts';
import { dataFolder } from '../support/servers/data-folder.ts';

/** Only meant to end a test that hangs. The first start in a clone builds much. */
const START_MS = 500_000;
const HEADING = 'A checkout';
const [UPGRADE = '', AFTERWARDS = '', RETURN = ''] = documentedCommands('docs/upgrading.md').flatMap(({ heading, block }) => (heading === HEADING ? [block] : [])); // prettier-ignore
const release = newestRelease();
const isThere = release !== undefined && hasCommit(release.commit);
const group = isThere ? long.describe : describe.skip;
const title = `the commands of "${HEADING}" in docs/upgrading.md, in a clone of the release ${release?.version ?? ''}`;

group(isThere ? title : `${title} (skipped: this clone lacks its commit: git fetch --unshallow)`, () => {
  let folder: string;
  let repository: Repository;
  let clone: string;
  let env: Environment;
  let client: Client;
  let user: { token: string; userId: number };
  let items: number;
  const running: { child: ChildProcess; printed: () => string }[] = [];

  beforeAll(async () => {
    folder = await dataFolder('upgraded-checkout-');
    repository = new Repository(folder, release?.commit ?? '');
    clone = repository.clone();
    const [PORT = 0, OPERATIONS_PORT = 0, INDEXER_PORT = 0] = await freePorts(3);
    // What the pnpm of the tests has set would lead the one of the clone to this checkout.
    const { PATH = '', HOME = '' } = process.env;
    const ports = { PORT: String(PORT), OPERATIONS_PORT: String(OPERATIONS_PORT), INDEXER_PORT: String(INDEXER_PORT) };
    // A list of a busy machine may take longer than the default limit.
    env = { PATH: [dirname(process.execPath), PATH].join(':'), HOME, LIST_TIMEOUT_MS: '60000', ...ports };
    client = new Client(`http://localhost:${PORT}`);
    // Otherwise npx would ask the registry for pnpm.
    await installPackages(clone);
  });
  afterAll(async () => {
    for (const { child } of running) for (const { pid } of familyOf(child.pid ?? 0)) signalFamily(pid, 'SIGTERM');
    await killAll(processesHere());
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  const processesHere = () => processTable().filter(({ pid }) => commandLine(pid).includes(folder));

  /** In a terminal of its own. @returns when the service runs, and has printed its examples */
  async function start(commands: string): Promise<void> {
    const child = spawn('sh', ['-ec', commands], { cwd: clone, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const ended = once(child, 'exit').then(() => true);
    running.push({ child, printed: () => text });
    const isComplete = until('the service runs', () => text.includes('Ctrl-C stops everything'), START_MS).then(() => false);
    if (await Promise.race([ended, isComplete])) throw new Error(`${commands} has ended:\n${text}`);
  }

  /** As Ctrl-C, which signals every process of the terminal. */
  async function interrupt(): Promise<void> {
    const { child } = running.at(-1) ?? {};
    const ended = child && once(child, 'exit');
    process.kill(-(child?.pid ?? 0), 'SIGINT');
    await ended;
    await until('every process has ended', () => processesHere().length === 0);
  }

  const get = async (path: string) => client.request('GET', path, { token: user.token });
  const isListed = (name: string) =>
    until(`a list has ${name}`, async () => {
      const { status, body } = await get(`/api/content?prompt=${name}&sort=relevance`);
      return status === 200 && (body as { content: { name: string }[] }).content[0]?.name === name;
    });
  const count = async () => (await get('/api/content')).body.totalElements as number;

  async function upload(name: string): Promise<void> {
    const body = JSON.stringify({ creatorId: user.userId, name, description: '', version: 1, data: '' });
    const headers = { 'content-type': 'application/json', prefer: 'wait=10' };
    expect((await client.request('POST', '/content', { token: user.token, body, headers })).status).toBe(201);
    await isListed(name);
  }

  it('lead from a folder of data of the release to the service of this source', async () => {
    await start('npx pnpm start');
    const { stdout } = await runIn(clone, 'npx pnpm -s run token --user 1', env);
    user = { token: stdout.trim(), userId: 1 };
    await upload('brontosaurus');
    items = await count();
    await interrupt();
    const present = repository.commitCheckout();
    repository.publish(present);
    await start(UPGRADE.replace('COMMIT', present));
    expect(running.at(-1)?.printed()).toContain(`"version": "${release?.version}"`);
    await isListed('brontosaurus');
    await upload('triceratops');
  });

  it('say that a rebuild is due, and rebuild the index, which has everything', async () => {
    const result = await runIn(clone, AFTERWARDS, env);
    expect({ failure: failureOf(result), text: result.stdout + result.stderr }).toEqual({
      failure: '',
      text: expect.stringContaining('a rebuild is due'),
    });
    const { code, stdout } = await runIn(clone, 'npx pnpm index:status', env);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.not.stringContaining('a rebuild is due') });
    expect(await count()).toBe(items + 1);
    expect((await get('/api/content?sort=trending')).status).toBe(200);
    await interrupt();
  });

  it('return to the copy of the folder, with which the release starts again', async () => {
    await start(RETURN.replace('COMMIT', release?.commit ?? ''));
    expect(await count()).toBe(items);
    await isListed('brontosaurus');
    await interrupt();
  });
});
