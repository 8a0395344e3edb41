import { readEnv } from '@ugc/shared/config/env';
import { createLog } from '@ugc/shared/process/log';
import { logUncaught, onShutdown } from '@ugc/shared/process/lifecycle';
import { startTracing } from '@ugc/shared/tracing/start-tracing';
import { IndexerEnv } from './env.ts';
import { startIndexer } from './start-indexer.ts';

const SHUTDOWN_DEADLINE_MS = 25_000;

const env = readEnv(IndexerEnv);
const log = createLog('indexer', env.LOG_LEVEL);
logUncaught(log);
const stopTracing = await startTracing(env, 'ugc-indexer', log);
const indexer = await startIndexer(env, log);
onShutdown(log, SHUTDOWN_DEADLINE_MS, { ...indexer, shutdown: [...indexer.shutdown, ...stopTracing] });
