import { ApiEnv } from '@ugc/api/env';
import { startApi, type RunningApi } from '@ugc/api/start-api';
import { IndexerEnv } from '@ugc/indexer/env';
import { startIndexer, type RunningIndexer } from '@ugc/indexer/start-indexer';
import { connectElasticsearch, type Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { Ownership } from '@ugc/shared/ownership/ownership';
import { parseEnv } from '@ugc/shared/config/env';
import { createLog, type Log } from '@ugc/shared/process/log';
import { connectPostgres, type Database } from '@ugc/shared/postgres/postgres';
import { Client } from '../http/client.ts';
import { createEnvironment, type Environment } from './environment.ts';
import { endDelays, isInOutbox, NOT_REJECTED } from '../database/outbox.ts';
import { until } from '../jest/until.ts';
import { runSteps, type Step } from '@ugc/shared/process/lifecycle';
import { setTimeout as delay } from 'node:timers/promises';

/** A service whose lists do not have to succeed. `logged` contains the log lines. */
export type HalfService = Omit<Service, 'indexed'> & { logged: string[] };

export type Service = Omit<Stores, 'close'> & {
  env: Environment;
  api: RunningApi;
  indexer: RunningIndexer;
  client: Client;
  url: string;
  operationsUrl: string;
  indexerUrl: string;
  /** Waits until all changes are searchable or rejected, and ends the delays of changes that are not due yet. */
  indexed(): Promise<void>;
  stop(): Promise<void>;
};

/** Starts API and indexer in this process, on the shared test servers. */
export async function startService(overrides: Environment = {}): Promise<Service> {
  const env = await createEnvironment(overrides);
  const service = await start(env, createLog('test', env['LOG_LEVEL'] ?? 'silent'));
  await until('lists return 200', async () => (await service.client.list()).status === 200).catch(async (error: unknown) => {
    // Jest does not exit while a service is running.
    await service.stop();
    throw error;
  });
  return { ...service, indexed: () => untilIndexed(service, env, { meanwhile: () => endDelays(service.database) }) };
}

export async function startHalfService(env: Environment): Promise<HalfService> {
  const logged: string[] = [];
  const service = await start(env, createLog('test', 'info', { write: (line) => void logged.push(line) }));
  return { ...service, logged };
}

async function start(env: Environment, log: Log): Promise<Omit<Service, 'indexed'>> {
  const api = await startApi(parseEnv(ApiEnv, env), log);
  const indexer = await startIndexer(parseEnv(IndexerEnv, env), log);
  const { close, ...stores } = openStores(env);
  const stop = async (): Promise<void> => {
    await shutDown(log, [...api.shutdown, ...indexer.shutdown]);
    await close();
  };
  const [url, operationsUrl, indexerUrl] = [api.port, api.operationsPort, indexer.operationsPort].map(
    (port) => `http://127.0.0.1:${port}`,
  ) as [string, string, string];
  return { env, api, indexer, client: new Client(url), url, operationsUrl, indexerUrl, ...stores, stop };
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

/** Only meant to end a step that hangs. */
const LIMIT_MS = 120_000;

/** Runs the shutdown steps of a service in the test's own process. @throws an error that names the steps that hang */
export async function shutDown(log: Log, steps: Step[]): Promise<void> {
  const hanging: Step[] = [];
  const limit = (step: Step): Promise<unknown> => delay(LIMIT_MS, undefined, { ref: false }).then(() => hanging.push(step));
  await runSteps(
    log,
    steps.map((step) => () => Promise.race([step(), limit(step)])),
  );
  if (hanging.length > 0) throw new Error(`shutdown steps have not ended after ${LIMIT_MS / 1_000} s: ${hanging.join('; ')}`);
}
