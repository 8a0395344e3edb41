import { ApiEnv } from '@ugc/api/env';
import { startApi } from '@ugc/api/start-api';
import { IndexerEnv } from '@ugc/indexer/env';
import { startIndexer } from '@ugc/indexer/start-indexer';
import { parseEnv } from '@ugc/shared/config/env';
import { createLog } from '@ugc/shared/process/log';
import { Client } from '../http/client.ts';
import type { Environment } from './environment.ts';
import { openStores, type Stores } from './service.ts';
import { shutDown } from './shut-down.ts';

/** A service whose lists do not have to succeed. `logged` contains the log lines. */
export type HalfService = Omit<Stores, 'close'> & {
  env: Environment;
  client: Client;
  url: string;
  operationsUrl: string;
  indexerUrl: string;
  logged: string[];
  stop(): Promise<void>;
};

export async function startHalfService(env: Environment): Promise<HalfService> {
  const logged: string[] = [];
  const log = createLog('test', 'info', { write: (line) => void logged.push(line) });
  const api = await startApi(parseEnv(ApiEnv, env), log);
  const indexer = await startIndexer(parseEnv(IndexerEnv, env), log);
  const { close, ...stores } = openStores(env);
  const urlOf = (port: number): string => `http://127.0.0.1:${port}`;
  return {
    env,
    client: new Client(urlOf(api.port)),
    url: urlOf(api.port),
    operationsUrl: urlOf(api.operationsPort),
    indexerUrl: urlOf(indexer.operationsPort),
    logged,
    ...stores,
    stop: async () => {
      await shutDown(log, [...api.shutdown, ...indexer.shutdown]);
      await close();
    },
  };
}
