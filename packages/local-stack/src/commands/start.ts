import { createCommand, EXIT, failWith, runCommand } from '@ugc/shared/cli/command';
import { printMessage } from '@ugc/shared/cli/output';
import { readVariable } from '@ugc/shared/environment/env-values';
import { misspeltVariables } from '@ugc/shared/environment/misspelt';
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { claimPorts } from '../claims.ts';
import { embedderFiles, type EmbedderFiles } from '../embedder-files.ts';
import { cacheFolder } from '../folders.ts';
import { guard } from '../guard.ts';
import { watchLaunchers } from '../launchers.ts';
import { endLeftover } from '../pid-file.ts';
import { searchServer } from '../search-server.ts';
import type { Server } from '../server.ts';
import { CHECKOUT, serviceProcess } from '../service-process.ts';
import { readPorts, readStorePorts, writeSettings } from '../settings.ts';
import { createStack, type Stack } from '../stack.ts';
import { StackError, StartInterrupted } from '../stack-error.ts';
import { supervise } from '../supervise.ts';

const DATA_DIR = resolve(readVariable('LOCAL_DATA_DIR') ?? join(CHECKOUT, '.local'));
const SERVICES = [
  { name: 'API', main: 'services/api/src/main.ts', dataDir: join(DATA_DIR, 'api') },
  { name: 'Indexer', main: 'services/indexer/src/main.ts', dataDir: join(DATA_DIR, 'indexer') },
] as const;
const EMBEDDER = { name: 'Embedder', main: 'services/embedder/src/main.ts', dataDir: join(DATA_DIR, 'embedder') } as const;
/** The compiled code of the services, which they load in two thirds of the time of their source. */
const COMPILE_CACHE = join(DATA_DIR, 'compile-cache');

const STDOUT = 1;
const STDERR = 2;

const running: { stop(): Promise<void> }[] = [];
const stopRequest = new AbortController();
let starting: Promise<string> | undefined;
let stopping: Promise<void> | undefined;

const command = createCommand({
  name: 'npx pnpm start',
  description: `Starts PostgreSQL, Redis, Elasticsearch, the API and the indexer on this machine, without Docker, and loads a demo collection.
Servers whose URL is set in DATABASE_URL, REDIS_URL or ELASTICSEARCH_URL are not started. SEARCH=opensearch starts OpenSearch.
Ports: PORT, OPERATIONS_PORT, INDEXER_PORT, EMBEDDER_PORT. The stores get free ports; .local/env has their URLs.`,
  exitCodes: {
    [EXIT.done]: 'stopped by Ctrl-C or a signal',
    [EXIT.badResult]: 'the start failed',
    [EXIT.usage]: 'the arguments are wrong',
  },
  example: 'PORT=3100 npx pnpm start',
})
  .option('--semantic', 'rank by meaning too, with a local model for English (130 MB)')
  .action(run);
await runCommand(command, failWith(EXIT.badResult));

type Options = { semantic?: boolean };

/** Runs until a signal stops the process, or the package manager that started it has ended. */
async function run(options: Options): Promise<never> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(EXIT.done));
  watchLaunchers(() => void stop(EXIT.done));
  try {
    starting = start(options);
    printMessage(`Ctrl-C stops everything; the data stays in ${await starting}.`);
  } catch (error) {
    if (!stopping) printMessage(...(error instanceof StackError ? error.message : String((error as Error).stack)).split('\n'));
    await stop(EXIT.badResult);
  }
  return new Promise(() => undefined);
}

/** @returns the folder that contains the data */
async function start(options: Options): Promise<string> {
  const servicePorts = readPorts(options);
  for (const warning of misspeltVariables(process.env)) printMessage(`Warning: ${warning}`);
  mkdirSync(DATA_DIR, { recursive: true });
  printMessage(`Starting PostgreSQL, Redis and ${searchServer().server} …`);
  const stack = await createStack({ dataDir: DATA_DIR, ports: readStorePorts(DATA_DIR), signal: stopRequest.signal });
  const files = options.semantic ? await embedderFiles(join(CHECKOUT, 'services/embedder/runtime'), cacheFolder()) : undefined;
  const services = [...SERVICES, EMBEDDER].map(({ name, dataDir }) => ({ name, dataDir, stopSignal: 'SIGTERM' as const }));
  running.push(guard([...stack.leftovers, ...services]), stack);
  for (const { name, dataDir, stopSignal } of services) await endLeftover(name, dataDir, stopSignal);
  const ports = await claimPorts(stack.dataDir, servicePorts, process.env);
  const env = writeSettings(
    DATA_DIR,
    stack,
    Object.fromEntries(servicePorts.map(({ variable }, position) => [variable, String(ports[position])])),
  );
  const [api, indexer] = createServices(ports, env);
  const embedder = files && createEmbedder(ports[3] ?? 0, files);
  await both(stack.start(), startApi(stack, api, env));
  await embedder?.start();
  const servers = [stack.postgres, stack.redis, stack.elasticsearch, api, indexer, embedder].filter((server) => server !== undefined);
  // A server that ends while the collection is indexed is started again.
  const superviseAll = () => void running.push(supervise(servers));
  await both(indexer.start().then(superviseAll), welcome(env));
  for (const [position, { name, dataDir }] of SERVICES.entries())
    printMessage(`${name}: process ${[api, indexer][position]?.pid()}, log ${relative(CHECKOUT, join(dataDir, 'server.log'))}`);
  printMessage(`The operators' page: http://localhost:${ports[1]}`);
  return stack.dataDir;
}

function createServices(ports: number[], env: Record<string, string>): [Server, Server] {
  const [apiPort = 0, , indexerPort = 0] = ports;
  const [api, indexer] = SERVICES;
  const options = { env: { ...process.env, ...env, NODE_COMPILE_CACHE: COMPILE_CACHE } };
  const services: [Server, Server] = [
    serviceProcess({ ...api, ...options, port: apiPort }),
    serviceProcess({ ...indexer, ...options, port: indexerPort }),
  ];
  running.push(...services);
  return services;
}

function createEmbedder(port: number, { runtime, model }: EmbedderFiles): Server {
  const env = { ...process.env, EMBEDDER_PORT: String(port), EMBEDDER_RUNTIME: runtime, EMBEDDER_MODEL: model };
  const embedder = serviceProcess({ ...EMBEDDER, port, env });
  running.push(embedder);
  return embedder;
}

/** Needs only PostgreSQL and the web pages, which are ready long before Elasticsearch. */
async function startApi({ postgres }: Stack, api: Server, env: Record<string, string>): Promise<void> {
  await both(postgres?.start() ?? Promise.resolve(), runScript('packages/web/build/build-pages.ts', env));
  await runScript('services/api/src/commands/migrate.ts', env);
  stopRequest.signal.throwIfAborted();
  await api.start();
}

/**
 * If one fails, interrupts the other and waits for its end. Servers that stop because one has failed make others fail.
 * @throws the failure of the first, unless it was interrupted, else that of the second
 */
async function both(...parts: [Promise<void>, Promise<void>]): Promise<void> {
  for (const part of parts) part.catch(() => stopRequest.abort());
  const results = await Promise.allSettled(parts);
  const failures = results.filter(({ status }) => status === 'rejected').map((result) => (result as PromiseRejectedResult).reason as Error);
  const [first] = failures;
  if (first) throw failures.find((failure) => !(failure instanceof StartInterrupted)) ?? first;
}

/** The servers serve without the demo collection too. */
async function welcome(env: Record<string, string>): Promise<void> {
  await runScript('services/api/src/commands/welcome.ts', env, STDOUT).catch((error: Error) => {
    if (stopRequest.signal.aborted) throw error;
    printMessage('All servers run without the complete demo collection; see above.');
  });
}

/** @param output STDOUT for what the user asked for; the progress of a start is no result */
async function runScript(script: string, env: Record<string, string>, output: number = STDERR): Promise<void> {
  const child = spawn(process.execPath, [join(CHECKOUT, script)], {
    stdio: ['inherit', output, 'inherit'],
    env: { ...process.env, ...env, NODE_COMPILE_CACHE: COMPILE_CACHE },
    signal: stopRequest.signal,
  });
  child.on('error', () => undefined);
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new StackError(`${script} failed (exit code ${code}).`);
}

function stop(exitCode: number): Promise<void> {
  stopping ??= stopAll(exitCode);
  return stopping;
}

async function stopAll(exitCode: number): Promise<void> {
  if (running.length > 0) printMessage('\nStopping …');
  stopRequest.abort();
  await starting?.catch(() => undefined);
  for (const part of running.reverse()) await part.stop();
  process.exit(exitCode);
}
