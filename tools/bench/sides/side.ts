import type * as MigrateCode from '@ugc/shared/postgres/migrate';
import { serverAccount } from '@ugc/local-stack/account';
import { prepareDataFolder } from '@ugc/local-stack/folders';
import type { Server } from '@ugc/local-stack/server';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { NO_FIELDS, readDefinitions, type Definitions } from '@ugc/fields/definition';
import { connectPostgres } from '@ugc/shared/postgres/postgres';
import { storeDefinitions } from '@ugc/shared/fields/store-definitions';
import { migrate } from '@ugc/shared/postgres/migrate';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { defined, startOwnServers, urlsOf, type Servers } from '../../../test/support/cluster/cluster-servers.ts';
import { TEMPLATE_DATABASE } from '../../../test/support/database/database.ts';
import type * as ClusterCode from '../../../test/support/cluster/cluster.ts';
import type * as CommandCode from '../../../test/support/processes/command.ts';
import type * as EnvironmentCode from '../../../test/support/processes/environment.ts';
import type * as PagesCode from '../../../packages/web/build/build-pages.ts';
import { fillCollection, patientClient } from '../collection/fill.ts';
import { untilIdle } from '../table/bulk-limit.ts';
import { addUsers, type BenchUser } from '../table/bench-stack.ts';

/** What is compared: API and indexer of a checkout, with an index and a database of their own on stores that all sides share. */
export type Side = {
  name: string;
  title: string;
  items: number;
  cluster: ClusterCode.Cluster;
  users: BenchUser[];
  definitions: Definitions;
};
/** `items`: if not as many as those of the other sides. `env` is that of its processes. */
export type SideOptions = {
  name: string;
  /** How a table names it, if not by its name. */
  title?: string;
  items?: number;
  checkout?: string;
  definitions?: Definitions;
  env?: EnvironmentCode.Environment;
  /** Whether its index has one segment. */
  isMerged?: boolean;
};
export type Sides = { sides: Side[]; stores: Servers; elasticsearch: Server; postgres: Server; stop(): Promise<void> };

const MERGED_WITHIN_MS = 3_600_000;

/**
 * All sides are in one Elasticsearch: two processes compile their code in different ways, which alone is a difference
 * of several percent.
 * @param keptIn a folder for the data of the stores, in which a later call continues
 */
export async function startSides(options: SideOptions[], items: number, keptIn: string): Promise<Sides> {
  const dataDir = await prepareDataFolder(keptIn, serverAccount(), console.error);
  const stores = await startOwnServers(dataDir, { postgres: { settings: { fsync: 'on' } }, redis: true, elasticsearch: true });
  const { elasticsearch, postgres } = stores;
  if (!elasticsearch || !postgres) throw new Error('the stores were not started');
  await useForTests(urlsOf(stores), dataDir);
  const sides: Side[] = [];
  for (const each of options) sides.push(await startSide(each, items, urlsOf(stores)));
  const stop = async (): Promise<void> => {
    for (const { cluster } of sides) await cluster.stop();
    await Promise.all(defined(stores).map((server) => server.stop()));
  };
  return { sides, stores, elasticsearch, postgres, stop };
}

/** `startCluster` copies the database of the tests, and keeps logs in their folder. */
async function useForTests(urls: EnvironmentCode.Environment, dataDir: string): Promise<void> {
  process.env['TEST_DATABASE_URL'] = urls['DATABASE_URL'] ?? '';
  process.env['TEST_DATA_DIR'] = join(dataDir, 'processes');
  await mkdir(join(dataDir, 'processes'), { recursive: true });
  await migrate(await databaseOf(urls['DATABASE_URL'] ?? '', TEMPLATE_DATABASE));
}

async function startSide(options: SideOptions, usualItems: number, urls: EnvironmentCode.Environment): Promise<Side> {
  const { name, items = usualItems, checkout = CHECKOUT, definitions = NO_FIELDS, env = {}, isMerged = true } = options;
  const code = await codeOf(checkout);
  const alias = `bench-${name}`;
  const databaseUrl = await databaseOf(urls['DATABASE_URL'] ?? '', alias);
  // The API does not start without.
  await code.buildPages();
  await code.migrate(databaseUrl);
  await code.insertUsers(databaseUrl);
  if (definitions.size > 0) await declare(databaseUrl, definitions);
  const kept = { DATABASE_URL: databaseUrl, CONTENT_ALIAS: alias, QUEUE_PREFIX: alias };
  const cluster = await code.startCluster({}, { ...urls, ...kept, ...env });
  await fillCollection(cluster, items, { hasFields: definitions.size > 0, startCommand: code.startIndexCommand });
  if (isMerged) await merge(cluster);
  return { name, title: options.title ?? name, items, cluster, users: await addUsers(cluster.database), definitions };
}

/** Modules of two checkouts can be loaded by one process. */
async function codeOf(checkout: string) {
  const load = async <T>(path: string): Promise<T> => (await import(join(checkout, path))) as T;
  const { startCluster } = await load<typeof ClusterCode>('test/support/cluster/cluster.ts');
  const { insertUsers } = await load<typeof EnvironmentCode>('test/support/processes/environment.ts');
  const { migrate } = await load<typeof MigrateCode>('packages/shared/src/postgres/migrate.ts');
  const { startIndexCommand } = await load<typeof CommandCode>('test/support/processes/command.ts');
  const { buildPages } = await load<typeof PagesCode>('packages/web/build/build-pages.ts');
  return { buildPages, startCluster, insertUsers, migrate, startIndexCommand };
}

/** @returns the URL of the database of this name, which a former run may have made */
async function databaseOf(server: string, name: string): Promise<string> {
  const client = new pg.Client(server);
  await client.connect();
  const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
  if (rowCount === 0) await client.query(`create database "${name}"`);
  await client.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function declare(databaseUrl: string, definitions: Definitions): Promise<void> {
  const database = connectPostgres({
    url: databaseUrl,
    applicationName: 'bench',
    maxConnections: 1,
    statementTimeoutMs: 10_000,
    onIdleError: () => undefined,
  });
  await database.transaction((tx) => storeDefinitions(tx, definitions));
  await database.close();
}

async function merge(cluster: ClusterCode.Cluster): Promise<void> {
  const elasticsearch = patientClient(cluster);
  const index = cluster.env['CONTENT_ALIAS'] ?? '';
  await elasticsearch.indices.forcemerge({ index, max_num_segments: 1 }, { requestTimeout: MERGED_WITHIN_MS });
  await untilIdle(elasticsearch);
  await elasticsearch.close();
}

/** Four fields: a keyword, versions, a number, and a group of two parts. */
export function benchDefinitions(values: string[]): Definitions {
  const read = readDefinitions({
    licence: { type: 'keyword', values },
    game: { type: 'version', many: true },
    players: { type: 'number', min: 1 },
    build: { type: 'group', many: true, of: { game: 'version', loader: 'keyword' } },
  });
  if ('errors' in read) throw new Error(JSON.stringify(read.errors));
  return read.definitions;
}
