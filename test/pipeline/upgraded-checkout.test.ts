import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { familyOf, killAll } from '@ugc/local-stack/process-family';
import { processTable, type ProcessEntry } from '@ugc/local-stack/process-table';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCommit, isShallow, newestRelease } from '../run/history.ts';
import { freePorts } from '../support/cluster/cluster-servers.ts';
import { Repository } from '../support/cluster/cloned-repository.ts';
import { isRebuildDue } from '../support/cluster/former-release.ts';
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
const IS_COMPLETE = 'Ctrl-C stops everything';
const DUE = 'a rebuild is due';
const HEADING = 'A checkout';
const [UPGRADE = '', AFTERWARDS = '', RETURN = ''] = documentedCommands('docs/upgrading.md').flatMap(({ heading, block }) => (heading === HEADING ? [block] : [])); // prettier-ignore
const release = newestRelease();
const isThere = release !== undefined && hasCommit(release.commit) && !isShallow();
const group = isThere ? long.describe : describe.skip;
const title = `the commands of "${HEADING}" in docs/upgrading.md, in a clone of the release ${release?.version ?? ''}`;

group(isThere ? title : `${title} (skipped: this clone lacks its commit or older ones: git fetch --unshallow)`, () => {
  let folder = '';
  let repository: Repository;
  let clone: string;
  let env: Environment;
  let client: Client;
  let user: { token: string; userId: number };
  let items: number;
  let isDue: boolean;
  const terminals: { child: ChildProcess; closed: Promise<unknown>; printed: () => string }[] = [];
  /** All that the terminals have started, also what has lost its parent since. */
  const started = new Set<string>();

  beforeAll(async () => {
    folder = await dataFolder('upgraded-checkout-');
    repository = new Repository(folder, release?.commit ?? '');
    clone = repository.clone();
    const [PORT = 0, OPERATIONS_PORT = 0, INDEXER_PORT = 0, ...stores] = await freePorts(6);
    // The ports of the start before. On a first start, 1.0.0 chooses those that other tests choose too.
    const urls = ['DATABASE_URL', 'REDIS_URL', 'ELASTICSEARCH_URL'].map((name, n) => `${name}=http://127.0.0.1:${stores[n]}\n`);
    await mkdir(join(clone, '.local'));
    await writeFile(join(clone, '.local/env'), urls.join(''));
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
    if (folder === '') return;
    await killAll(stillRunning());
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  const keyOf = ({ pid, started: since }: ProcessEntry) => `${pid} ${since}`;
  function noteFamilies(): void {
    for (const { child } of terminals) for (const entry of isOpen(child) ? familyOf(child.pid ?? 0) : []) started.add(keyOf(entry));
  }
  function stillRunning(): ProcessEntry[] {
    noteFamilies();
    return processTable().filter((entry) => started.has(keyOf(entry)));
  }
  const isOpen = ({ pid, exitCode, signalCode }: ChildProcess) => pid !== undefined && exitCode === null && signalCode === null;

  /** In a terminal of its own. @returns when the service runs, and has printed its examples */
  async function start(commands: string): Promise<void> {
    const child = spawn('sh', ['-ec', commands], { cwd: clone, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const closed = once(child, 'close');
    terminals.push({ child, closed, printed: () => text });
    const isDecided = () => {
      noteFamilies();
      return text.includes(IS_COMPLETE) || !isOpen(child);
    };
    const reason = await until('the service runs', isDecided, START_MS).then(() => 'has ended', String);
    if (text.includes(IS_COMPLETE)) return;
    // Whatever is left of it would keep the output open.
    await killAll(stillRunning());
    await closed;
    throw new Error(`${commands}\n${reason}:\n${text}`);
  }

  /** As Ctrl-C, which signals every process of the terminal. */
  async function interrupt(): Promise<void> {
    const terminal = terminals.at(-1);
    if (!terminal || stillRunning().length === 0) throw new Error('nothing runs');
    process.kill(-(terminal.child.pid ?? 0), 'SIGINT');
    await terminal.closed;
    await until('every process has ended', () => stillRunning().length === 0);
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
    const status = await runIn(clone, 'npx pnpm -s run index:status --json', env);
    expect(failureOf(status)).toBe('');
    isDue = isRebuildDue((JSON.parse(status.stdout) as { mappingVersion: number }).mappingVersion);
    await interrupt();
    const present = repository.commitCheckout();
    repository.publish(present);
    await start(UPGRADE.replace('COMMIT', present));
    expect(terminals.at(-1)?.printed()).toContain(`"version": "${release?.version}"`);
    await isListed('brontosaurus');
    await upload('triceratops');
  });

  it('say whether a rebuild is due, and rebuild the index, which has everything', async () => {
    const result = await runIn(clone, AFTERWARDS, env);
    expect({ failure: failureOf(result), text: result.stdout + result.stderr }).toEqual({
      failure: '',
      text: isDue ? expect.stringContaining(DUE) : expect.not.stringContaining(DUE),
    });
    const { code, stdout } = await runIn(clone, 'npx pnpm index:status', env);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.not.stringContaining(DUE) });
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
