import { readEnv } from '@ugc/shared/process/env';
import { createLog } from '@ugc/shared/process/log';
import { onShutdown } from '@ugc/shared/process/shutdown';
import { IndexerEnv } from './env.ts';
import { startIndexer } from './start-indexer.ts';

const SHUTDOWN_DEADLINE_MS = 25_000;

const env = readEnv(IndexerEnv);
const log = createLog('indexer', env.LOG_LEVEL);
const indexer = await startIndexer(env, log);
onShutdown(log, SHUTDOWN_DEADLINE_MS, indexer);
