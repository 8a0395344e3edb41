import { ApiEnv } from '@ugc/api/env';
import { connectStores, startApi } from '@ugc/api/start-api';
import { parseEnv } from '@ugc/shared/config/env';
import { createLog } from '@ugc/shared/process/log';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { Client } from '../http/client.ts';
import { createEnvironment, type Environment } from './environment.ts';
import { openStores, type Stores, shutDown } from './service.ts';

export type ApiAlone = Omit<Stores, 'close'> & {
  env: Environment;
  client: Client;
  operationsUrl: string;
  logged: string[];
  stop(): Promise<void>;
};

/**
 * Starts the API without an indexer. There is no index, so lists return 500. `logged` contains the log lines.
 * @param replace returns what the API uses instead of its client of Elasticsearch
 */
export async function startApiAlone(
  overrides: Environment = {},
  replace = (elasticsearch: Elasticsearch): Elasticsearch => elasticsearch,
): Promise<ApiAlone> {
  const env = await createEnvironment(overrides);
  const logged: string[] = [];
  const log = createLog('test', env['LOG_LEVEL'] ?? 'silent', { write: (line) => void logged.push(line) });
  const apiEnv = parseEnv(ApiEnv, env);
  const apiStores = connectStores(apiEnv, log);
  const api = await startApi(apiEnv, log, { ...apiStores, elasticsearch: replace(apiStores.elasticsearch) });
  const { close, ...stores } = openStores(env);
  const stop = async (): Promise<void> => {
    await shutDown(log, api.shutdown);
    await close();
  };
  const urlOf = (port: number): string => `http://127.0.0.1:${port}`;
  return { env, client: new Client(urlOf(api.port)), operationsUrl: urlOf(api.operationsPort), logged, ...stores, stop };
}

/** Starts a second API on the same stores, with its own connections, queues and counters, like another process. */
export async function startAnotherApi(env: Environment): Promise<Pick<ApiAlone, 'client' | 'operationsUrl' | 'stop'>> {
  const log = createLog('test', env['LOG_LEVEL'] ?? 'silent');
  const api = await startApi(parseEnv(ApiEnv, env), log);
  const urlOf = (port: number): string => `http://127.0.0.1:${port}`;
  return { client: new Client(urlOf(api.port)), operationsUrl: urlOf(api.operationsPort), stop: () => shutDown(log, api.shutdown) };
}
