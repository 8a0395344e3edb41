import { serverAccount } from '@ugc/local-stack/account';
import { cacheFolder } from '@ugc/local-stack/folders';
import { redisBinary } from '@ugc/local-stack/redis-binary';
import { redisServer } from '@ugc/local-stack/redis-server';
import type { Server } from '@ugc/local-stack/server';
import { ServerProcess } from '@ugc/local-stack/server-process';
import { Redis } from 'ioredis';
import { chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePorts } from '../cluster/cluster-servers.ts';
import { until } from '../jest/until.ts';
import type { Environment } from '../processes/environment.ts';
import { dataFolder } from './data-folder.ts';

/** Two Redis servers and the three sentinels that watch them. */
export type Sentinels = {
  /** What API and indexer need to know. */
  env: Environment;
  sentinels: Server[];
  /** @returns the server that the sentinels name at present */
  primary(): Promise<Server>;
  stop(): Promise<void>;
};

const NAME = 'ugc';
const SENTINEL_PASSWORD = 'of-the-sentinels';

export async function startSentinels(): Promise<Sentinels> {
  const dataDir = await dataFolder('sentinel-');
  const [first = 0, second = 0, ...ports] = await freePorts(5);
  const serverAt = (port: number, more: Record<string, string> = {}): Server =>
    redisServer({
      dataDir: join(dataDir, String(port)),
      port,
      as: serverAccount(),
      settings: { 'repl-diskless-sync-delay': '0', ...more },
    });
  const servers = new Map([
    [first, serverAt(first)],
    [second, serverAt(second, { replicaof: `127.0.0.1 ${first}` })],
  ]);
  const sentinels = ports.map((port) => sentinelServer(join(dataDir, String(port)), port, first));
  for (const server of [...servers.values(), ...sentinels]) await server.start();
  const admin = new Redis({ port: ports[0] ?? 0, password: SENTINEL_PASSWORD });
  await until('the sentinels know each other and the replica', async () => {
    const [sentinelCount, replicaCount] = await Promise.all([
      admin.call('SENTINEL', 'SENTINELS', NAME),
      admin.call('SENTINEL', 'REPLICAS', NAME),
    ]);
    return (sentinelCount as unknown[]).length === 2 && (replicaCount as unknown[]).length === 1;
  });
  const primary = async (): Promise<Server> => {
    const [, port] = (await admin.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME)) as string[];
    return servers.get(Number(port)) ?? Promise.reject(new Error(`no server at port ${port}`));
  };
  const stop = async (): Promise<void> => {
    admin.disconnect();
    for (const server of [...sentinels, ...servers.values()]) await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  const env = {
    REDIS_URL: `redis://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`,
    REDIS_SENTINEL_NAME: NAME,
    REDIS_SENTINEL_PASSWORD: SENTINEL_PASSWORD,
  };
  return { env, sentinels, primary, stop };
}

function sentinelServer(dataDir: string, port: number, primaryPort: number): Server {
  const as = serverAccount();
  const prepare = async () => {
    const file = join(dataDir, 'sentinel.conf');
    // It writes what it learns into this file.
    await writeFile(file, configuration(port, primaryPort));
    if (as) await chown(file, as.uid, as.gid);
    return { command: await redisBinary(cacheFolder(process.env)), args: [file, '--sentinel'] };
  };
  const url = `redis://127.0.0.1:${port}`;
  return new ServerProcess({
    name: 'Sentinel',
    url,
    dataDir,
    as,
    stopSignal: 'SIGTERM',
    deadlineMs: 60_000,
    prepare,
    isReady: () => isReady(port),
  });
}

function configuration(port: number, primaryPort: number): string {
  return [
    `port ${port}`,
    'bind 127.0.0.1',
    `requirepass ${SENTINEL_PASSWORD}`,
    `sentinel sentinel-pass ${SENTINEL_PASSWORD}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${primaryPort} 2`,
    `sentinel down-after-milliseconds ${NAME} 2000`,
    `sentinel failover-timeout ${NAME} 10000`,
  ].join('\n');
}

async function isReady(port: number): Promise<boolean> {
  const redis = new Redis({ port, password: SENTINEL_PASSWORD, lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => undefined);
  try {
    await redis.ping();
    return true;
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}
