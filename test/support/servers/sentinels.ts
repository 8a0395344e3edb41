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

/** The test itself uses the port without TLS. The others, which are the same without TLS, are known to each other and to services. */
type Ports = { plain: number; announced: number };
type Settings = Record<string, string>;

/** @param tls the settings for TLS with which servers and sentinels talk to each other and to services */
export async function startSentinels(tls?: TlsFiles): Promise<Sentinels> {
  const dataDir = await dataFolder('sentinel-');
  const [first, second, ...others] = await portsFor(5, tls);
  if (!first || !second) throw new Error('there are five ports');
  const serverAt = (ports: Ports, more: Settings = {}): Server =>
    redisServer({
      dataDir: join(dataDir, String(ports.plain)),
      port: ports.plain,
      as: serverAccount(),
      settings: { 'repl-diskless-sync-delay': '0', ...tlsSettings(ports, tls), ...more },
    });
  const servers = new Map([
    [first.announced, serverAt(first)],
    [second.announced, serverAt(second, { replicaof: `127.0.0.1 ${first.announced}` })],
  ]);
  const sentinels = others.map((ports) =>
    sentinelServer(join(dataDir, String(ports.plain)), ports.plain, {
      ...tlsSettings(ports, tls),
      [`sentinel monitor ${NAME} 127.0.0.1`]: `${first.announced} 2`,
    }),
  );
  for (const server of [...servers.values(), ...sentinels]) await server.start();
  const admin = new Redis({ port: others[0]?.plain ?? 0, password: SENTINEL_PASSWORD });
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
    REDIS_URL: `${tls ? 'rediss' : 'redis'}://${others.map(({ announced }) => `127.0.0.1:${announced}`).join(',')}`,
    REDIS_SENTINEL_NAME: NAME,
    REDIS_SENTINEL_PASSWORD: SENTINEL_PASSWORD,
  };
  return { env, sentinels, primary, stop };
}

/** Paths in PEM. */
export type TlsFiles = { ca: string; cert: string; key: string };

async function portsFor(count: number, tls: TlsFiles | undefined): Promise<Ports[]> {
  const ports = await freePorts(2 * count);
  return Array.from({ length: count }, (_, n) => {
    const plain = ports[2 * n] ?? 0;
    return { plain, announced: tls ? (ports[2 * n + 1] ?? 0) : plain };
  });
}

function tlsSettings({ announced }: Ports, tls: TlsFiles | undefined): Settings {
  if (!tls) return {};
  return {
    'tls-port': String(announced),
    'tls-cert-file': tls.cert,
    'tls-key-file': tls.key,
    'tls-ca-cert-file': tls.ca,
    'tls-auth-clients': 'no',
    // Without it, they talk to each other, and announce their ports, without TLS.
    'tls-replication': 'yes',
  };
}

function sentinelServer(dataDir: string, port: number, settings: Settings): Server {
  const as = serverAccount();
  const prepare = async () => {
    const file = join(dataDir, 'sentinel.conf');
    // It writes what it learns into this file.
    await writeFile(file, configuration(port, settings));
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
    prepare,
    isReady: () => isReady(port),
  });
}

function configuration(port: number, settings: Settings): string {
  return [
    `port ${port}`,
    'bind 127.0.0.1',
    `requirepass ${SENTINEL_PASSWORD}`,
    `sentinel sentinel-pass ${SENTINEL_PASSWORD}`,
    ...Object.entries(settings).map(([name, value]) => `${name} ${value}`),
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
