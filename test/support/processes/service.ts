import { ApiEnv } from '@ugc/api/env';
import { startApi, type RunningApi } from '@ugc/api/start-api';
import { IndexerEnv } from '@ugc/indexer/env';
import { startIndexer, type RunningIndexer } from '@ugc/indexer/start-indexer';
import { connectElasticsearch, type Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { Ownership } from '@ugc/shared/ownership/ownership';
import { parseEnv } from '@ugc/shared/config/env';
import { createLog } from '@ugc/shared/process/log';
import { connectPostgres, type Database } from '@ugc/shared/postgres/postgres';
import { Client } from '../http/client.ts';
import { createEnvironment, type Environment } from './environment.ts';
import { endDelays, isInOutbox, NOT_REJECTED } from '../database/outbox.ts';
import { until } from '../jest/until.ts';
import { shutDown } from './shut-down.ts';

export type Service = {
  env: Environment;
  api: RunningApi;
  indexer: RunningIndexer;
  client: Client;
  operationsUrl: string;
  database: Database;
  elasticsearch: Elasticsearch;
  alias: string;
  ownership: Ownership;
  /** Waits until all changes are searchable or rejected, and ends the delays of changes that are not due yet. */
  indexed(): Promise<void>;
  stop(): Promise<void>;
};

/** Starts API and indexer in this process, on the shared test servers. */
export async function startService(overrides: Environment = {}): Promise<Service> {
  const env = await createEnvironment(overrides);
  const log = createLog('test', env['LOG_LEVEL'] ?? 'silent');
  const api = await startApi(parseEnv(ApiEnv, env), log);
  const indexer = await startIndexer(parseEnv(IndexerEnv, env), log);
  const stores = openStores(env);
  const client = new Client(`http://127.0.0.1:${api.port}`);
  const indexed = () => untilIndexed(stores, env, { meanwhile: () => endDelays(stores.database) });
  const stop = async (): Promise<void> => {
    await shutDown(log, [...api.shutdown, ...indexer.shutdown]);
    await stores.close();
  };
  await until('lists return 200', async () => (await client.list()).status === 200).catch(async (error: unknown) => {
    // Jest does not exit while a service is running.
    await stop();
    throw error;
  });
  return { env, api, indexer, client, operationsUrl: `http://127.0.0.1:${api.operationsPort}`, ...stores, indexed, stop };
}

export type Stores = { database: Database; elasticsearch: Elasticsearch; alias: string; ownership: Ownership; close(): Promise<void> };

/** Connections of the test, separate from those of the service. */
export function openStores(env: Environment, maxConnections = 3): Stores {
  const database = connectPostgres({
    url: env['DATABASE_URL'] ?? '',
    applicationName: 'test',
    maxConnections,
    statementTimeoutMs: 20_000,
    onIdleError: () => undefined,
  });
  const elasticsearch = connectElasticsearch(env['ELASTICSEARCH_URL'] ?? '', 20_000);
  const alias = env['CONTENT_ALIAS'] ?? '';
  const close = async (): Promise<void> => {
    await database.close();
    await elasticsearch.close();
  };
  // A test may hold a transaction open for as long as it waits for something else.
  const transaction: Database['transaction'] = (work) =>
    database.transaction(async (tx) => {
      await tx.query('set local idle_in_transaction_session_timeout = 0');
      return work(tx);
    });
  const ownership = new Ownership({ database, elasticsearch, alias });
  return { database: { ...database, transaction }, elasticsearch, alias, ownership, close };
}

export async function untilIndexed(
  { database, elasticsearch }: Pick<Stores, 'database' | 'elasticsearch'>,
  env: Environment,
  { timeoutMs, meanwhile }: { timeoutMs?: number; meanwhile?: () => Promise<void> } = {},
): Promise<void> {
  const isEmpty = async (): Promise<boolean> => {
    await meanwhile?.();
    return !(await isInOutbox(database, NOT_REJECTED));
  };
  await until('the outbox is empty', isEmpty, timeoutMs);
  await elasticsearch.indices.refresh({ index: env['CONTENT_ALIAS'] ?? '' });
}
