import { ApiEnv } from '@ugc/api/env';
import { startApi } from '@ugc/api/start-api';
import { parseEnv } from '@ugc/shared/process/env';
import { createLog } from '@ugc/shared/process/log';
import { runSteps } from '@ugc/shared/process/shutdown';
import { Client } from './client.ts';
import { createEnvironment, type Environment } from './environment.ts';
import { openStores, type Stores } from './service.ts';

export type ApiAlone = Omit<Stores, 'close'> & {
  env: Environment;
  client: Client;
  operationsUrl: string;
  logged: string[];
  stop(): Promise<void>;
};

/** Starts the API without an indexer. There is no index, so lists return 500. `logged` contains the log lines. */
export async function startApiAlone(overrides: Environment = {}): Promise<ApiAlone> {
  const env = await createEnvironment(overrides);
  const logged: string[] = [];
  const log = createLog('test', env['LOG_LEVEL'] ?? 'silent', { write: (line) => void logged.push(line) });
  const api = await startApi(parseEnv(ApiEnv, env), log);
  const { close, ...stores } = openStores(env);
  const stop = async (): Promise<void> => {
    await runSteps(log, api.shutdown);
    await close();
  };
  const urlOf = (port: number): string => `http://127.0.0.1:${port}`;
  return { env, client: new Client(urlOf(api.port)), operationsUrl: urlOf(api.operationsPort), logged, ...stores, stop };
}
