import { ApiEnv } from '@ugc/api/env';
import { startApi } from '@ugc/api/start-api';
import { parseEnv } from '@ugc/shared/config/env';
import { createLog } from '@ugc/shared/process/log';
import { Client } from '../http/client.ts';
import type { Environment } from './environment.ts';
import { shutDown } from './shut-down.ts';

/** Starts a second API on the same stores, with its own connections, queues and counters, like another process. */
export async function startAnotherApi(env: Environment): Promise<{ client: Client; stop(): Promise<void> }> {
  const log = createLog('test', env['LOG_LEVEL'] ?? 'silent');
  const api = await startApi(parseEnv(ApiEnv, env), log);
  return { client: new Client(`http://127.0.0.1:${api.port}`), stop: () => shutDown(log, api.shutdown) };
}
