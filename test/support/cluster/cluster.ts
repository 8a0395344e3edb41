import { serverAccount } from '@ugc/local-stack/account';
import { prepareDataFolder } from '@ugc/local-stack/folders';
import type { Server } from '@ugc/local-stack/server';
import { serviceProcess } from '@ugc/local-stack/service-process';
import { readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '../http/client.ts';
import {
  freePorts,
  defined,
  startProxies,
  startOwnServers,
  URL_OF,
  urlsOf,
  type OwnServers,
  type Proxies,
  type Store,
} from './cluster-servers.ts';
import { COMPILE_CACHE, createEnvironment, type Environment } from '../processes/environment.ts';
import { dataFolder } from '../servers/data-folder.ts';
import { Failpoints } from '../failpoints/failpoints.ts';
import { openStores, untilIndexed, type Stores } from '../processes/service.ts';
import { until } from '../jest/until.ts';

/** APIs and indexers as processes, on the shared test servers or on servers of the test. */
export type Cluster = Stores & {
  /** The configuration of the services, with URLs that bypass the proxies. */
  env: Environment;
  /** Only the first API gets it. */
  client: Client;
  api: Server;
  apis: Server[];
  /** Only the first API gets it. */
  operationsUrl: string;
  indexer: Server;
  indexers: Server[];
  apiLogs: string[];
  indexerLogs: string[];
  /** Defined if the test started its own server. */
  redis: Server | undefined;
  postgres: Server | undefined;
  elasticsearchServer: Server | undefined;
  dataDir: string;
  /** The data folders, for tests that delete the data. */
  redisData: string;
  elasticsearchData: string;
  proxies: Proxies;
  failpoints: Failpoints;
  indexed(): Promise<void>;
  stop(): Promise<void>;
};

export type ClusterOptions = OwnServers & {
  /** A folder for the data that `stop` keeps. By default the test has one of its own. */
  keptIn?: string | undefined;
  /** The stores that API and indexer connect to through a proxy. */
  proxied?: Store[];
  apis?: number;
  indexers?: number;
  /** Whether processes stop at failpoints. */
  failpoints?: boolean;
  /** Variables that only the processes get. */
  processEnv?: (env: Environment) => Promise<Environment>;
};

type ServiceProcess = Server & { operationsUrl: string };

export async function startCluster(options: ClusterOptions = {}, overrides: Environment = {}): Promise<Cluster> {
  const { keptIn } = options;
  const dataDir = keptIn === undefined ? await dataFolder('cluster-') : await prepareDataFolder(keptIn, serverAccount(), console.error);
  const servers = await startOwnServers(dataDir, options);
  const env = await createEnvironment({ LOG_LEVEL: 'info', ...urlsOf(servers), ...overrides });
  const proxies = await startProxies(options.proxied ?? [], env);
  const failpoints = new Failpoints(join(dataDir, 'failpoints'));
  await mkdir(failpoints.folder, { recursive: true });
  const own = await options.processEnv?.(env);
  const processEnv = { ...env, ...proxyUrls(proxies), ...COMPILE_CACHE, FAILPOINTS: failpoints.folder, ...own };
  const apis = await createProcesses('API', dataDir, processEnv, options);
  const indexers = await createProcesses('Indexer', dataDir, processEnv, options);
  await Promise.all([...apis, ...indexers].map((service) => service.start()));

  const stores = openStores(env);
  const client = new Client(apis[0]?.url ?? '');
  await until('lists return 200', async () => (await client.list()).status === 200);
  const apiLogs = apis.map((_, n) => join(dataDir, `api-${n}`, 'server.log'));
  const indexerLogs = indexers.map((_, n) => join(dataDir, `indexer-${n}`, 'server.log'));
  const stop = async (): Promise<void> => {
    apis.forEach((api, n) => reportIfEnded(api, apiLogs[n]));
    indexers.forEach((indexer, n) => reportIfEnded(indexer, indexerLogs[n]));
    await stores.close();
    await Promise.all([...apis, ...indexers].map((service) => service.stop()));
    for (const proxy of Object.values(proxies)) await proxy?.close();
    await Promise.all(defined(servers).map((server) => server.stop()));
    if (keptIn === undefined) await rm(dataDir, { recursive: true, force: true });
  };
  return {
    ...stores,
    env,
    client,
    api: first(apis),
    apis,
    operationsUrl: first(apis).operationsUrl,
    indexer: first(indexers),
    indexers,
    apiLogs,
    indexerLogs,
    redis: servers.redis,
    postgres: servers.postgres,
    elasticsearchServer: servers.elasticsearch,
    dataDir,
    redisData: join(dataDir, 'redis'),
    elasticsearchData: join(dataDir, 'elasticsearch', 'data'),
    proxies,
    failpoints,
    indexed: () => untilIndexed(stores, env),
    stop,
  };
}

// The log contains the reason, and is deleted with the folder.
function reportIfEnded(service: Server, log = ''): void {
  if (service.pid() !== undefined) return;
  const end = readFileSync(log, 'utf8').slice(-2_000);
  if (!STOPPED.test(end)) process.stderr.write(`${service.name} has ended by itself. Its log ends with:\n${end}\n`);
}

/** The last line of a process that a test has stopped. */
const STOPPED = /"code":0,"msg":"stopped"\}\s*$/;

function proxyUrls(proxies: Proxies): Environment {
  const put = (Object.keys(proxies) as Store[]).filter((store) => proxies[store]);
  return Object.fromEntries(put.map((store) => [URL_OF[store], proxies[store]?.url ?? '']));
}

async function createProcesses(
  name: 'API' | 'Indexer',
  dataDir: string,
  env: Environment,
  { apis = 1, indexers = 1, failpoints = false }: ClusterOptions,
): Promise<ServiceProcess[]> {
  const service = name.toLowerCase();
  const main = failpoints ? `test/support/failpoints/${service}.ts` : `services/${service}/src/main.ts`;
  const count = name === 'API' ? apis : indexers;
  const ports = await freePorts(2 * count);
  return Array.from({ length: count }, (_, n) => {
    const [port = 0, otherPort = 0] = ports.slice(2 * n);
    const portEnv = name === 'API' ? { PORT: String(port), OPERATIONS_PORT: String(otherPort) } : { INDEXER_PORT: String(port) };
    const process = serviceProcess({ name, main, dataDir: join(dataDir, `${service}-${n}`), port, env: { ...env, ...portEnv } });
    return Object.assign(process, { operationsUrl: `http://127.0.0.1:${name === 'API' ? otherPort : port}` });
  });
}

function first(processes: ServiceProcess[]): ServiceProcess {
  if (!processes[0]) throw new Error('a cluster has at least one process of each kind');
  return processes[0];
}

/** The last line of a service's log. */
export function lastLogLine(path: string | undefined): Record<string, unknown> {
  const lines = readFileSync(path ?? '', 'utf8')
    .trimEnd()
    .split('\n');
  return JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown>;
}

/** The API or the indexer with this process id, and its log. */
export function processOf({ apis, apiLogs, indexers, indexerLogs }: Cluster, pid: number): { server: Server; log: string | undefined } {
  const logs = [...apiLogs, ...indexerLogs];
  const processes = [...apis, ...indexers].map((server, n) => ({ server, log: logs[n] }));
  const found = processes.find(({ server }) => server.pid() === pid);
  if (!found) throw new Error(`process ${pid} does not belong to the cluster`);
  return found;
}
