import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endLeftover } from '../pid-file.ts';
import { choosePorts } from '../ports.ts';
import type { Server } from '../server.ts';
import { CHECKOUT, serviceProcess } from '../service-process.ts';
import { startStack, type Stack } from '../stack.ts';
import { StackError } from '../stack-error.ts';
import { supervise } from '../supervise.ts';

/** The whole service on this machine, without Docker: real servers, the schema, a demo collection, API and indexer. */
const DATA_DIR = join(CHECKOUT, '.local');
const PORTS = {
  postgres: portFrom('LOCAL_POSTGRES_PORT', 15432),
  redis: portFrom('LOCAL_REDIS_PORT', 16379),
  elasticsearch: portFrom('LOCAL_ELASTICSEARCH_PORT', 19200),
};
const WISHES = [
  { server: 'the API', variable: 'PORT', port: portFrom('PORT', 3000) },
  { server: "the API's metrics", variable: 'OPERATIONS_PORT', port: portFrom('OPERATIONS_PORT', 9464) },
  { server: "the indexer's metrics", variable: 'INDEXER_PORT', port: portFrom('INDEXER_PORT', 9465) },
];
const SERVICES = [
  { name: 'API', main: 'services/api/src/main.ts', dataDir: join(DATA_DIR, 'api') },
  { name: 'Indexer', main: 'services/indexer/src/main.ts', dataDir: join(DATA_DIR, 'indexer') },
] as const;
const say = (line: string): void => console.error(line);

const running: { stop(): Promise<void> }[] = [];
const givenUp = new AbortController();
let stopping: Promise<void> | undefined;
process.on('SIGINT', () => void stop(0));
process.on('SIGTERM', () => void stop(0));
process.on('SIGHUP', () => void stop(0));

const starting = start();
try {
  const dataDir = await starting;
  say(`Ctrl-C stops everything; the data stays in ${dataDir}.`);
} catch (error) {
  if (!stopping) say(error instanceof StackError ? error.message : String((error as Error).stack));
  await stop(1);
}

/** @returns where the data are */
async function start(): Promise<string> {
  mkdirSync(DATA_DIR, { recursive: true });
  say('Starting PostgreSQL, Redis and Elasticsearch …');
  const stack = await startStack({ dataDir: DATA_DIR, ports: PORTS, say, signal: givenUp.signal });
  running.push(stack);
  givenUp.signal.throwIfAborted();
  for (const service of SERVICES) await endLeftover(service.name, service.dataDir, 'SIGTERM');
  const ports = await choosePorts(WISHES);
  const env = writeEnv(stack, ports);
  await run('services/api/src/commands/migrate.ts', env);
  const services = startServices(ports, env);
  for (const service of services) {
    running.push(service);
    await service.start();
  }
  const servers = [stack.postgres, stack.redis, stack.elasticsearch, ...services].filter((server) => server !== undefined);
  running.push(supervise(servers, say));
  await run('services/api/src/commands/welcome.ts', env);
  for (const service of services) say(`${service.name}: process ${service.pid()}, log .local/${service.name.toLowerCase()}/server.log`);
  return stack.dataDir;
}

function startServices(ports: number[], env: Record<string, string>): Server[] {
  const [apiPort = 0, , indexerPort = 0] = ports;
  return SERVICES.map((service) =>
    serviceProcess({ ...service, port: service.name === 'API' ? apiPort : indexerPort, env: { ...process.env, ...env } }),
  );
}

/** The other commands (`pnpm token`, `pnpm users` …) read this file to talk to the same stack. */
function writeEnv(stack: Stack, ports: number[]): Record<string, string> {
  const env = {
    DATABASE_URL: stack.databaseUrl,
    REDIS_URL: stack.redisUrl,
    ELASTICSEARCH_URL: stack.elasticsearchUrl,
    ...keySettings(),
    // Nobody but this machine.
    BIND_ADDRESS: '127.0.0.1',
    ...Object.fromEntries(WISHES.map(({ variable }, position) => [variable, String(ports[position])])),
  };
  const lines = Object.entries(env).map(([name, value]) => `${name}='${value}'\n`);
  writeFileSync(join(DATA_DIR, 'env'), lines.join(''), { mode: 0o600 });
  return env;
}

/** A secret of this checkout's own, unless the environment says how tokens are checked. */
function keySettings(): Record<string, string> {
  if (process.env['JWT_SECRET'] ?? process.env['JWT_PUBLIC_KEY'] ?? process.env['JWT_JWKS_URL']) return {};
  const file = join(DATA_DIR, 'jwt-secret');
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('base64url'), { mode: 0o600 });
  return { JWT_SECRET: readFileSync(file, 'utf8') };
}

async function run(script: string, env: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, [join(CHECKOUT, script)], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
    signal: givenUp.signal,
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
  if (running.length > 0) say('\nStopping …');
  givenUp.abort();
  await starting.catch(() => undefined);
  for (const part of running.reverse()) await part.stop();
  process.exit(exitCode);
}

function portFrom(variable: string, fallback: number): number {
  const value = Number(process.env[variable] || fallback);
  if (Number.isInteger(value) && value >= 0 && value <= 65_535) return value;
  console.error(`${variable} must be a port from 0 to 65535, not ${process.env[variable]}.`);
  process.exit(1);
}
