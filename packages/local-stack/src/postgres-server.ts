import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { Account } from './account.ts';
import { cacheFolder } from './folders.ts';
import { postgresBinaries } from './postgres-binaries.ts';
import type { RunTool } from './run-tool.ts';
import { ServerProcess } from './server-process.ts';
import type { Launch, Server } from './server.ts';
import { createHash } from 'node:crypto';
import { killAll } from './process-family.ts';
import { commandLine, processTable } from './process-table.ts';

export type PostgresOptions = {
  dataDir: string;
  port: number;
  as?: Account | undefined;
  maxConnections?: number;
  env?: NodeJS.ProcessEnv;
  /** Further settings of postgresql.conf. */
  settings?: Record<string, string>;
};

const UNKNOWN_DATABASE = '3D000';

export function postgresServer(options: PostgresOptions): Server {
  const { dataDir, port, as } = options;
  return new ServerProcess({
    name: 'PostgreSQL',
    url: urlOf(port, 'ugc'),
    dataDir,
    as,
    stopSignal: 'SIGINT',
    prepare: (runTool) => prepare(options, runTool),
    isReady: () => isReady(port),
  });
}

async function prepare(options: PostgresOptions, runTool: RunTool): Promise<Launch> {
  const { dataDir, port, as, maxConnections = 200, env = process.env, settings: further } = options;
  const { initdb, postgres } = await postgresBinaries(as, cacheFolder(env));
  const data = join(dataDir, 'data');
  if (!existsSync(data)) await initialise(initdb, data, options, runTool);
  if (existsSync(join(data, 'postmaster.pid'))) await cleanUpAfterCrash(data);
  const settings = {
    cluster_name: clusterName(data),
    listen_addresses: '127.0.0.1',
    max_connections: maxConnections,
    timezone: 'UTC',
    unix_socket_directories: '',
    ...further,
  };
  const set = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return { command: postgres, args: ['-D', data, '-p', String(port), ...set] };
}

async function cleanUpAfterCrash(data: string): Promise<void> {
  await endOrphans(data);
  // If another process has this pid now, PostgreSQL takes it for a running server and does not start.
  await rm(join(data, 'postmaster.pid'), { force: true });
}

async function initialise(initdb: string, data: string, { dataDir, as }: PostgresOptions, runTool: RunTool): Promise<void> {
  const unfinished = `${data}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const args = ['-D', unfinished, '--username=ugc', '--auth=trust', '--no-sync', ...locale];
  const env = { PATH: process.env['PATH'], LC_ALL: 'C' };
  await runTool({ command: initdb, args, cwd: dataDir, env, as, failure: 'PostgreSQL could not create its data folder' });
  await rename(unfinished, data);
}

async function isReady(port: number): Promise<boolean> {
  const problem = await query(urlOf(port, 'ugc'), 'SELECT 1');
  if (problem?.code === UNKNOWN_DATABASE) await query(urlOf(port, 'postgres'), 'CREATE DATABASE ugc');
  return problem === undefined;
}

async function query(connectionString: string, text: string): Promise<{ code?: string } | undefined> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(text);
    return undefined;
  } catch (error) {
    return error as { code?: string };
  } finally {
    await client.end().catch(() => undefined);
  }
}

function urlOf(port: number, database: string): string {
  return `postgresql://ugc@127.0.0.1:${port}/${database}`;
}

/** The cluster_name of a data folder; PostgreSQL puts it into the title of each of its processes. */
function clusterName(data: string): string {
  return `ugc-${createHash('sha256').update(data).digest('hex').slice(0, 12)}`;
}

/**
 * Kills backends that still run after their server was killed: until they end, no server can start on the same data.
 */
async function endOrphans(data: string): Promise<void> {
  const title = `postgres: ${clusterName(data)}: `;
  await killAll(processTable().filter(({ pid }) => commandLine(pid).startsWith(title)));
}
