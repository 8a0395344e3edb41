import { createCommand, EXIT, failWith, runCommand } from '@ugc/shared/cli/command';
import { printMessage } from '@ugc/shared/cli/output';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endLeftover } from '../pid-file.ts';
import { choosePorts, type PortRequest } from '../ports.ts';
import type { Server } from '../server.ts';
import { CHECKOUT, serviceProcess } from '../service-process.ts';
import { startStack, type Stack, type StackPorts } from '../stack.ts';
import { StackError } from '../stack-error.ts';
import { supervise } from '../supervise.ts';

const DATA_DIR = join(CHECKOUT, '.local');
const SERVICES = [
  { name: 'API', main: 'services/api/src/main.ts', dataDir: join(DATA_DIR, 'api') },
  { name: 'Indexer', main: 'services/indexer/src/main.ts', dataDir: join(DATA_DIR, 'indexer') },
] as const;

const running: { stop(): Promise<void> }[] = [];
const stopRequest = new AbortController();
let starting: Promise<string> | undefined;
let stopping: Promise<void> | undefined;

const command = createCommand({
  name: 'npx pnpm start',
  description: `Starts PostgreSQL, Redis, Elasticsearch, the API and the indexer on this machine, without Docker, and loads a demo collection.
Servers whose URL is set in DATABASE_URL, REDIS_URL or ELASTICSEARCH_URL are not started.
Ports: PORT, OPERATIONS_PORT, INDEXER_PORT, LOCAL_POSTGRES_PORT, LOCAL_REDIS_PORT, LOCAL_ELASTICSEARCH_PORT.`,
  exitCodes: { [EXIT.done]: 'stopped by Ctrl-C', [EXIT.badResult]: 'the start failed', [EXIT.usage]: 'the arguments are wrong' },
  example: 'PORT=3100 npx pnpm start',
}).action(run);
await runCommand(command, failWith(EXIT.badResult));

/** Runs until a signal stops the process. */
async function run(): Promise<never> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(EXIT.done));
  try {
    starting = start();
    printMessage(`Ctrl-C stops everything; the data stays in ${await starting}.`);
  } catch (error) {
    if (!stopping) printMessage(error instanceof StackError ? error.message : String((error as Error).stack));
    await stop(EXIT.badResult);
  }
  return new Promise(() => undefined);
}

/** @returns the folder that contains the data */
async function start(): Promise<string> {
  const { stackPorts, servicePorts } = readPorts();
  mkdirSync(DATA_DIR, { recursive: true });
  printMessage('Starting PostgreSQL, Redis and Elasticsearch …');
  const stack = await startStack({ dataDir: DATA_DIR, ports: stackPorts, signal: stopRequest.signal });
  running.push(stack);
  stopRequest.signal.throwIfAborted();
  for (const service of SERVICES) await endLeftover(service.name, service.dataDir, 'SIGTERM');
  const ports = await choosePorts(servicePorts);
  const env = writeEnv(stack, Object.fromEntries(servicePorts.map(({ variable }, position) => [variable, String(ports[position])])));
  await runScript('services/api/src/commands/migrate.ts', env);
  const services = startServices(ports, env);
  for (const service of services) {
    running.push(service);
    await service.start();
  }
  const servers = [stack.postgres, stack.redis, stack.elasticsearch, ...services].filter((server) => server !== undefined);
  running.push(supervise(servers));
  await runScript('services/api/src/commands/welcome.ts', env);
  for (const service of services)
    printMessage(`${service.name}: process ${service.pid()}, log .local/${service.name.toLowerCase()}/server.log`);
  return stack.dataDir;
}

function readPorts(): { stackPorts: StackPorts; servicePorts: PortRequest[] } {
  return {
    stackPorts: {
      postgres: portFrom('LOCAL_POSTGRES_PORT', 15432),
      redis: portFrom('LOCAL_REDIS_PORT', 16379),
      elasticsearch: portFrom('LOCAL_ELASTICSEARCH_PORT', 19200),
    },
    servicePorts: [
      { server: 'the API', variable: 'PORT', port: portFrom('PORT', 3000) },
      { server: "the API's metrics", variable: 'OPERATIONS_PORT', port: portFrom('OPERATIONS_PORT', 9464) },
      { server: "the indexer's metrics", variable: 'INDEXER_PORT', port: portFrom('INDEXER_PORT', 9465) },
    ],
  };
}

function startServices(ports: number[], env: Record<string, string>): Server[] {
  const [apiPort = 0, , indexerPort = 0] = ports;
  return SERVICES.map((service) =>
    serviceProcess({ ...service, port: service.name === 'API' ? apiPort : indexerPort, env: { ...process.env, ...env } }),
  );
}

/** Writes the settings that the other commands (`npx pnpm users` …) read in order to use the same stack. */
function writeEnv(stack: Stack, servicePorts: Record<string, string>): Record<string, string> {
  const env = {
    DATABASE_URL: stack.databaseUrl,
    REDIS_URL: stack.redisUrl,
    ELASTICSEARCH_URL: stack.elasticsearchUrl,
    ...keySettings(),
    // Only programs on this machine can connect.
    BIND_ADDRESS: '127.0.0.1',
    ...servicePorts,
  };
  const lines = Object.entries(env).map(([name, value]) => `${name}='${value}'\n`);
  writeFileSync(join(DATA_DIR, 'env'), lines.join(''), { mode: 0o600 });
  return env;
}

/** A random secret of this checkout, unless the environment contains key settings. */
function keySettings(): Record<string, string> {
  if (process.env['JWT_SECRET'] ?? process.env['JWT_PUBLIC_KEY'] ?? process.env['JWT_JWKS_URL']) return {};
  const file = join(DATA_DIR, 'jwt-secret');
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('base64url'), { mode: 0o600 });
  return { JWT_SECRET: readFileSync(file, 'utf8') };
}

async function runScript(script: string, env: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, [join(CHECKOUT, script)], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
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

function portFrom(variable: string, fallback: number): number {
  const value = Number(process.env[variable] || fallback);
  if (Number.isInteger(value) && value >= 0 && value <= 65_535) return value;
  throw new StackError(`${variable} must be a port from 0 to 65535, not ${process.env[variable]}.`);
}
