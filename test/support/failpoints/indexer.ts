import { IndexerEnv } from '@ugc/indexer/env';
import { connectStores, startIndexer } from '@ugc/indexer/start-indexer';
import { readEnv } from '@ugc/shared/config/env';
import { createLog } from '@ugc/shared/process/log';
import { onShutdown } from '@ugc/shared/process/lifecycle';
import { failpoint, stoppingDatabase } from './failpoint.ts';

/** The indexer with stores that pause or end the process at the failpoints that a test has set. */
const env = readEnv(IndexerEnv);
const log = createLog('indexer', env.LOG_LEVEL);
const { database, elasticsearch, ...stores } = connectStores(env, log);
const stopping = stoppingDatabase(database, {
  afterStatement: { 'worker.after_read': 'outbox: read pending changes' },
  afterCommit: { 'worker.after_acknowledge': 'outbox: remove indexed' },
});

const bulk = elasticsearch.bulk.bind(elasticsearch) as (request: unknown) => Promise<unknown>;
const stoppingBulk = async (request: unknown): Promise<unknown> => {
  await failpoint('worker.before_bulk', JSON.stringify(request));
  const response = await bulk(request);
  await failpoint('worker.after_bulk');
  return response;
};
Object.assign(elasticsearch, { bulk: stoppingBulk });

const indexer = await startIndexer(env, log, { database: stopping, elasticsearch, ...stores });
onShutdown(log, 25_000, indexer);
