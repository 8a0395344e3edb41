import { endIfInvalid, readEnv } from '@ugc/shared/config/env';
import { createLog } from '@ugc/shared/process/log';
import { logUncaught, onShutdown } from '@ugc/shared/process/lifecycle';
import { startTracing } from '@ugc/shared/tracing/start-tracing';
import { ApiEnv } from './env.ts';
import { startApi } from './start-api.ts';

const SHUTDOWN_DEADLINE_MS = 15_000;

const env = readEnv(ApiEnv);
const log = createLog('api', env.LOG_LEVEL);
logUncaught(log);
const stopTracing = await startTracing(env, 'ugc-api', log);
const api = await startApi(env, log).catch(endIfInvalid);
onShutdown(log, SHUTDOWN_DEADLINE_MS, { ...api, shutdown: [...api.shutdown, ...stopTracing] }, env.SHUTDOWN_DELAY_MS);
