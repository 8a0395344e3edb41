import { serverAccount } from '@ugc/local-stack/account';
import { redisServer } from '@ugc/local-stack/redis-server';
import { Redis } from 'ioredis';
import { rm } from 'node:fs/promises';
import { freePorts } from '../cluster/cluster-servers.ts';
import { dataFolder } from './data-folder.ts';
import type { ApiAlone } from '../processes/api-alone.ts';
import { until } from '../jest/until.ts';

/** A Redis of the test's own. `admin` is connected as the default user, which may do everything. */
export type OwnRedis = { url: string; busPort: number; urlOf(user: string): string; admin: Redis; stop(): Promise<void> };

const PASSWORD = 'secret';

/** @param settings of redis.conf, such as `{ 'cluster-enabled': 'yes' }` */
export async function startOwnRedis(settings: Record<string, string> = {}): Promise<OwnRedis> {
  const dataDir = await dataFolder('redis-');
  const [port = 0, busPort = 0] = await freePorts(2);
  const bus: Record<string, string> = settings['cluster-enabled'] === 'yes' ? { 'cluster-port': String(busPort) } : {};
  const server = redisServer({ dataDir, port, as: serverAccount(), settings: { ...settings, ...bus } });
  await server.start();
  const admin = new Redis(server.url);
  const urlOf = (user: string): string => server.url.replace('//', `//${user}:${PASSWORD}@`);
  const stop = async (): Promise<void> => {
    admin.disconnect();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { url: server.url, busPort, urlOf, admin, stop };
}

/** @param rules of ACL SETUSER, such as `+@all -info` */
export async function createRedisUser({ admin }: OwnRedis, user: string, rules: string): Promise<void> {
  await admin.acl('SETUSER', user, 'reset', 'on', `>${PASSWORD}`, 'resetchannels', ...rules.split(' '));
}

/** Runs commands on a separate connection to Redis. */
export async function withRedis<T>(url: string | undefined, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url ?? '');
  redis.on('error', () => undefined);
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

/**
 * Requests lists until they are counted in Redis: before it is connected to Redis, a process counts rates in its
 * memory.
 */
export async function untilCountedInRedis({ env, client }: ApiAlone, userId: number): Promise<void> {
  const redis = new Redis(env['REDIS_URL'] ?? '');
  await until('rates are counted in Redis', async () => {
    await client.get('/api/content', userId);
    return (await redis.exists(`${env['QUEUE_PREFIX']}:limit:lists:${userId}`)) === 1;
  });
  redis.disconnect();
}
