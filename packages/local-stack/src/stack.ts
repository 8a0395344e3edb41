import { printMessage } from '@ugc/shared/cli/output';
import { readVariable } from '@ugc/shared/environment/env-values';
import { join } from 'node:path';
import { serverAccount } from './account.ts';
import { claimFolder, claimPorts, releaseClaim } from './claims.ts';
import { prepareDataFolder } from './folders.ts';
import type { Leftover } from './end-leftovers.ts';
import { endLeftover } from './pid-file.ts';
import { postgresServer } from './postgres-server.ts';
import { redisServer } from './redis-server.ts';
import { searchServer } from './search-server.ts';
import type { Server } from './server.ts';
import { StartInterrupted } from './stack-error.ts';

export type StackPorts = { postgres: number; redis: number; elasticsearch: number };

export type StackOptions = {
  dataDir: string;
  /** Instead of the usual ports. 0 means any free port; so does one that is in use. */
  ports?: Partial<StackPorts>;
  env?: NodeJS.ProcessEnv;
  /** Interrupts the start. startStack then stops the servers that it has started, and rejects. */
  signal?: AbortSignal;
};

export type Stack = {
  databaseUrl: string;
  redisUrl: string;
  elasticsearchUrl: string;
  /** The folder that contains the data: for root it may differ from the requested one. */
  dataDir: string;
  /** The servers that it starts, for a process that ends them if this one is killed. */
  leftovers: Leftover[];
  postgres?: Server;
  redis?: Server;
  elasticsearch?: Server;
  /** Starts the servers at the same time, and stops all of them if one fails. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

const PORTS: StackPorts = { postgres: 15432, redis: 16379, elasticsearch: 19200 };

type Part = keyof StackPorts;
type Servers = Partial<Record<Part, Server>>;

const PARTS = {
  postgres: {
    server: 'PostgreSQL',
    folder: 'postgres',
    url: 'DATABASE_URL',
    stopSignal: 'SIGINT',
    create: postgresServer,
  },
  redis: { server: 'Redis', folder: 'redis', url: 'REDIS_URL', stopSignal: 'SIGTERM', create: redisServer },
} as const;
const SEARCH_PART = { url: 'ELASTICSEARCH_URL', stopSignal: 'SIGTERM' } as const;

function partsOf(env: NodeJS.ProcessEnv) {
  return { ...PARTS, elasticsearch: { ...SEARCH_PART, ...searchServer(env) } };
}

export async function startStack(options: StackOptions): Promise<Stack> {
  const stack = await createStack(options);
  await stack.start();
  return stack;
}

/** A stack with each server whose URL is not set in the environment. It is not started yet. */
export async function createStack({ dataDir, ports = {}, env = process.env, signal }: StackOptions): Promise<Stack> {
  const all = partsOf(env);
  const parts = (Object.keys(all) as Part[]).filter((part) => readVariable(all[part].url, env) === undefined);
  const as = parts.length > 0 ? serverAccount() : undefined;
  // The account must be able to read the files that root creates from here on.
  if (as) process.umask(0o022);
  const folder = await prepareDataFolder(dataDir, as, printMessage);
  const dataDirOf = (part: Part): string => join(folder, all[part].folder);
  const leftovers = parts.map((part) => ({ name: all[part].server, dataDir: dataDirOf(part), stopSignal: all[part].stopSignal }));
  await Promise.all(leftovers.map(({ name, dataDir: leftover, stopSignal }) => endLeftover(name, leftover, stopSignal)));
  await claimFolder(folder, env);
  const chosen = await claimPorts(
    folder,
    parts.map((part) => ({ ...all[part], port: ports[part] ?? PORTS[part] })),
    env,
  );
  const create = (part: Part, index: number) => all[part].create({ dataDir: dataDirOf(part), port: chosen[index] ?? 0, as, env });
  const servers: Servers = Object.fromEntries(parts.map((part, index) => [part, create(part, index)]));
  return { ...stackOf(servers, folder, env), leftovers, start: () => startAll(servers, signal) };
}

async function startAll(servers: Servers, signal: AbortSignal | undefined): Promise<void> {
  try {
    const starts = Promise.all(Object.values(servers).map((server) => server.start()));
    await Promise.race([starts, aborted(signal)]);
  } catch (error) {
    await stopAll(servers);
    throw error;
  }
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const interrupt = () => reject(new StartInterrupted());
    if (signal?.aborted) interrupt();
    signal?.addEventListener('abort', interrupt, { once: true });
  });
}

async function stopAll(servers: Servers): Promise<void> {
  await Promise.all(Object.values(servers).map((server) => server.stop()));
}

function stackOf(servers: Servers, dataDir: string, env: NodeJS.ProcessEnv): Omit<Stack, 'start' | 'leftovers'> {
  const urlOf = (part: Part) => servers[part]?.url ?? readVariable(partsOf(env)[part].url, env) ?? '';
  return {
    databaseUrl: urlOf('postgres'),
    redisUrl: urlOf('redis'),
    elasticsearchUrl: urlOf('elasticsearch'),
    dataDir,
    ...servers,
    stop: () => stopAll(servers).then(() => releaseClaim(dataDir, env)),
  };
}
