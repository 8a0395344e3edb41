import { serverAccount } from '@ugc/local-stack/account';
import type { ElasticsearchSettings } from '@ugc/local-stack/elasticsearch-config';
import { choosePorts } from '@ugc/local-stack/ports';
import { postgresServer } from '@ugc/local-stack/postgres-server';
import { redisServer } from '@ugc/local-stack/redis-server';
import { searchServer } from '@ugc/local-stack/search-server';
import type { Server } from '@ugc/local-stack/server';
import { migrate } from '@ugc/shared/postgres/migrate';
import { join } from 'node:path';
import { ChaosProxy } from './chaos-proxy.ts';
import { insertUsers, type Environment } from '../processes/environment.ts';

export type Store = 'redis' | 'postgres' | 'elasticsearch';

/** The servers that a test starts for itself, because it stops or breaks them. */
export type OwnServers = {
  redis?: boolean;
  postgres?: boolean | { dataDir?: string; maxConnections?: number; settings?: Record<string, string> };
  elasticsearch?: boolean | ElasticsearchSettings;
};

export type Servers = Record<Store, Server | undefined>;
export type Proxies = Record<Store, ChaosProxy | undefined>;

export const URL_OF = { redis: 'REDIS_URL', postgres: 'DATABASE_URL', elasticsearch: 'ELASTICSEARCH_URL' } as const;
const STORES = Object.keys(URL_OF) as Store[];

export async function startOwnServers(dataDir: string, own: OwnServers): Promise<Servers> {
  const [redisPort = 0, postgresPort = 0, elasticsearchPort = 0] = await freePorts(3);
  const as = serverAccount();
  const postgres = own.postgres === true ? {} : own.postgres || undefined;
  const settings = typeof own.elasticsearch === 'object' ? own.elasticsearch : {};
  const servers: Servers = {
    redis: own.redis ? redisServer({ dataDir: join(dataDir, 'redis'), port: redisPort, as }) : undefined,
    postgres:
      postgres &&
      postgresServer({
        dataDir: join(dataDir, 'postgres'),
        port: postgresPort,
        as,
        ...postgres,
        // As `writeWithoutSync` of the shared server.
        settings: { fsync: 'off', ...postgres.settings },
      }),
    elasticsearch: own.elasticsearch
      ? searchServer().create({ dataDir: join(dataDir, 'elasticsearch'), port: elasticsearchPort, as, settings })
      : undefined,
  };
  await Promise.all(defined(servers).map((server) => server.start()));
  if (servers.postgres) await migrate(servers.postgres.url).then(() => insertUsers(servers.postgres?.url ?? ''));
  return servers;
}

export function defined(servers: Servers): Server[] {
  return Object.values(servers).filter((server) => server !== undefined);
}

export function urlsOf(servers: Servers): Environment {
  return Object.fromEntries(STORES.flatMap((store) => (servers[store] ? [[URL_OF[store], servers[store].url]] : [])));
}

export async function startProxies(stores: Store[], env: Environment): Promise<Proxies> {
  const proxies: Proxies = { redis: undefined, postgres: undefined, elasticsearch: undefined };
  for (const store of stores) proxies[store] = await ChaosProxy.before(env[URL_OF[store]] ?? '');
  return proxies;
}

export async function freePorts(count: number): Promise<number[]> {
  return choosePorts(Array.from({ length: count }, (_, n) => ({ server: 'a test server', variable: `port ${n}`, port: 0 })));
}
