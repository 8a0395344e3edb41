import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { serverAccount } from '@ugc/local-stack/account';
import { listensOn } from '@ugc/local-stack/listening';
import { postgresServer } from '@ugc/local-stack/postgres-server';
import { commandLine, processTable } from '@ugc/local-stack/process-table';
import { redisServer } from '@ugc/local-stack/redis-server';
import { runTool } from '@ugc/local-stack/run-tool';
import { searchServer } from '@ugc/local-stack/search-server';
import type { Server } from '@ugc/local-stack/server';
import { ServerProcess } from '@ugc/local-stack/server-process';
import { CHECKOUT, serviceProcess } from '@ugc/local-stack/service-process';
import { createStack } from '@ugc/local-stack/stack';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { freePorts } from '../support/cluster/cluster-servers.ts';
import { until } from '../support/jest/until.ts';
import { dataFolder } from '../support/servers/data-folder.ts';

let folder = '';
const started: Server[] = [];
beforeAll(async () => {
  folder = await dataFolder('starting-');
});
afterEach(async () => {
  for (const server of started.splice(0)) await server.kill();
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

/** Far more than the pauses of the programs below, and far less than they take. */
const PATIENCE = { everyMs: 100, checks: 20 };
const LONGER_THAN_PATIENCE_MS = 2 * PATIENCE.everyMs * PATIENCE.checks;

const UNTIL = `const end = performance.now() + ${LONGER_THAN_PATIENCE_MS};`;
const WRITES = `${UNTIL} await new Promise((done) => { const timer = setInterval(() => {
  console.error('step'); if (performance.now() > end) done(clearInterval(timer)); }, 50); });`;
const COMPUTES = `${UNTIL} while (performance.now() < end);`;
const HANGS = `console.error('the reason'); await new Promise(() => setInterval(() => undefined, 1e6));`;

describe('a server that starts slowly', () => {
  async function startSlowly(before: string): Promise<Server> {
    const [port = 0] = await freePorts(1);
    const url = `http://127.0.0.1:${port}`;
    const dataDir = join(folder, `server-${port}`);
    const program = `${before} (await import('node:http')).createServer((_, res) => res.end()).listen(${port}, '127.0.0.1');`;
    const server = new ServerProcess({
      name: 'The server',
      url,
      dataDir,
      as: undefined,
      stopSignal: 'SIGTERM',
      patience: PATIENCE,
      // endLeftover recognizes it by the folder.
      prepare: () => Promise.resolve({ command: process.execPath, args: ['--input-type=module', '-e', program, '--', dataDir] }),
      isReady: () =>
        fetch(url).then(
          ({ ok }) => ok,
          () => false,
        ),
    });
    started.push(server);
    return server;
  }

  it.each([
    ['its log grows', WRITES],
    ['its process computes', COMPUTES],
  ])('is waited for as long as %s', async (_, program) => {
    const server = await startSlowly(program);
    await server.start();
    expect((await fetch(server.url)).ok).toBe(true);
  });

  it('and does nothing any more is given up with the end of its log, and ended', async () => {
    const server = await startSlowly(HANGS);
    await expect(server.start()).rejects.toThrow(/The server is not ready and made no progress for .* ends with:\nthe reason/s);
    expect(server.pid()).toBeUndefined();
  });

  it('and is stopped by a signal is given up, and its next start is complete', async () => {
    const server = await startSlowly(WRITES);
    const start = server.start();
    await until('the process runs', () => server.pid() !== undefined);
    server.signal('SIGSTOP');
    await expect(start).rejects.toThrow('made no progress');
    await server.start();
    expect((await fetch(server.url)).ok).toBe(true);
  });
});

describe('a program that prepares a start', () => {
  const tool = (program: string) => ({
    command: process.execPath,
    args: ['--input-type=module', '-e', program, '--', folder],
    cwd: folder,
    env: {},
    as: undefined,
    failure: 'The start could not be prepared',
    patience: PATIENCE,
  });

  it.each([
    ['it prints', WRITES],
    ['it computes', COMPUTES],
  ])('is waited for as long as %s', async (_, program) => {
    expect((await runTool(tool(`${program} console.log('prepared');`))).toString()).toBe('prepared\n');
  });

  it.each([
    ['does nothing any more', HANGS, 'made no progress'],
    ['fails', `console.error('the reason'); process.exit(3);`, 'ended (exit code 3)'],
    ['is killed', `console.error('the reason'); process.kill(process.pid, 'SIGKILL');`, 'ended (SIGKILL)'],
  ])('and %s is ended, and the reason names what it printed', async (_, program, what) => {
    const failure = await runTool(tool(program)).catch((error: Error) => error.message);
    expect(failure).toContain(`The start could not be prepared: node ${what}`);
    expect(failure).toMatch(/and printed:\nthe reason$/);
    expect(processTable().filter(({ pid }) => commandLine(pid).includes(`-- ${folder}`))).toEqual([]);
  });
});

describe('a server whose port another program has taken since it was chosen', () => {
  const as = serverAccount();
  const portOf = (name: string) => Number(new URL(process.env[name] ?? '').port);
  const other = (name: string) => join(folder, name);
  const SERVERS: [string, () => Server][] = [
    ['PostgreSQL', () => postgresServer({ dataDir: other('postgres'), port: portOf('TEST_DATABASE_URL'), as })],
    ['Redis', () => redisServer({ dataDir: other('redis'), port: portOf('TEST_REDIS_URL'), as })],
    ['Elasticsearch', () => searchServer().create({ dataDir: other('search'), port: portOf('TEST_ELASTICSEARCH_URL'), as })],
  ];

  it.each(SERVERS)('does not take the other %s for its own, and says why it has ended', async (_, create) => {
    const server = create();
    started.push(server);
    // One may end before it is known who listens on its port.
    await expect(server.start()).rejects.toThrow(/another program listens on its port|Address( already)? in use|BindException/);
    expect(server.pid()).toBeUndefined();
  });

  it('does not take for its own what has answered and ended since', async () => {
    const [port = 0] = await freePorts(1);
    expect(await listensOn(process.pid, port, undefined)).toBe(false);
    const own = createServer().listen(port, '127.0.0.1');
    await once(own, 'listening');
    expect(await listensOn(process.pid, port, undefined)).toBe(true);
    own.close();
  });

  it('does not take another API for its own', async () => {
    const someApi = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1');
    await once(someApi, 'listening');
    const { port } = someApi.address() as { port: number };
    const service = { name: 'API', main: 'services/api/src/main.ts', dataDir: other('api'), port, env: { DATABASE_URL: 'x' } } as const;
    await expect(serviceProcess(service).start()).rejects.toThrow('another program listens on its port');
    someApi.close();
  });
});

describe('two stacks that are started at once', () => {
  const env = { ...process.env, ELASTICSEARCH_URL: process.env['TEST_ELASTICSEARCH_URL'], DATABASE_URL: undefined, REDIS_URL: undefined };

  it('choose different ports, although none of them listens yet, and each uses its own servers', async () => {
    const [postgres = 0, redis = 0] = await freePorts(2);
    const folders = ['first', 'second'].map((name) => join(folder, name));
    const stacks = await Promise.all(folders.map((dataDir) => createStack({ dataDir, ports: { postgres, redis }, env })));
    for (const { postgres: database, redis: queue } of stacks) started.push(...[database, queue].filter((each) => each !== undefined));
    await Promise.all(stacks.map((stack) => stack.start()));
    expect(new Set(stacks.flatMap(({ databaseUrl, redisUrl }) => [databaseUrl, redisUrl])).size).toBe(4);
    await Promise.all(stacks.map((stack) => stack.stop()));
    const again = await createStack({ dataDir: folders[1] ?? '', ports: { postgres, redis }, env });
    expect([again.databaseUrl, again.redisUrl].map((url) => Number(new URL(url).port))).toEqual([postgres, redis]);
    await again.stop();
  });

  it('on one folder are refused but for the first', async () => {
    const dataDir = join(folder, 'one');
    await mkdir(dataDir);
    const first = await createStackElsewhere(dataDir);
    await expect(createStack({ dataDir, env })).rejects.toThrow(`Process ${first.pid} already starts servers on ${dataDir}`);
    first.kill('SIGKILL');
    await once(first, 'exit');
    await createStack({ dataDir, env }).then((stack) => stack.stop());
  });

  /** In another process, which then waits. */
  async function createStackElsewhere(dataDir: string): Promise<ChildProcess> {
    const program = `import { createStack } from '@ugc/local-stack/stack';
      await createStack({ dataDir: process.argv[1] }); console.log('created'); setInterval(() => undefined, 1e6);`;
    const options = { cwd: join(CHECKOUT, 'test'), env, stdio: ['ignore', 'pipe', 'inherit'] as ['ignore', 'pipe', 'inherit'] };
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, '--', dataDir], options);
    await once(child.stdout, 'data');
    return child;
  }
});
