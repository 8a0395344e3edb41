import { readEnv } from '@ugc/shared/env';
import { createLog } from '@ugc/shared/log';
import { onShutdown } from '@ugc/shared/shutdown';
import { ApiEnv } from './env.ts';
import { startApi } from './start-api.ts';

const SHUTDOWN_DEADLINE_MS = 15_000;

const env = readEnv(ApiEnv);
const log = createLog('api', env.LOG_LEVEL);
const api = await startApi(env, log);
onShutdown(log, SHUTDOWN_DEADLINE_MS, api);
