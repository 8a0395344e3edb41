import { readEnv } from '@ugc/shared/process/env';
import { createLog } from '@ugc/shared/process/log';
import { onShutdown } from '@ugc/shared/process/shutdown';
import { ApiEnv } from './env.ts';
import { connectStores, startApi } from './start-api.ts';
import { warmUp } from './warm-up.ts';

const SHUTDOWN_DEADLINE_MS = 15_000;

const env = readEnv(ApiEnv);
const log = createLog('api', env.LOG_LEVEL);
const api = await startApi(env, log, connectStores(env, log), warmUp);
onShutdown(log, SHUTDOWN_DEADLINE_MS, api);
