import { ApiEnv } from '@ugc/api/env';
import { connectStores, startApi } from '@ugc/api/start-api';
import { readEnv } from '@ugc/shared/config/env';
import { createLog } from '@ugc/shared/process/log';
import { onShutdown } from '@ugc/shared/process/lifecycle';
import { failpoint, stoppingDatabase } from './failpoint.ts';

/** The API with stores that pause or end the process at the failpoints that a test has set. */
const env = readEnv(ApiEnv);
const log = createLog('api', env.LOG_LEVEL);
const { database, queue, ...stores } = connectStores(env, log);
const stopping = stoppingDatabase(database, {
  afterStatement: { 'api.after_insert': 'outbox: mark pending' },
  afterCommit: { 'api.after_commit': 'outbox: mark pending', 'relay.after_claim': 'outbox: claim' },
});

const addBulk = queue.addBulk.bind(queue);
const stoppingAddBulk: typeof addBulk = async (jobs) => {
  const added = await addBulk(jobs);
  await failpoint('relay.after_enqueue');
  return added;
};
Object.assign(queue, { addBulk: stoppingAddBulk });

const api = await startApi(env, log, { database: stopping, queue, ...stores });
onShutdown(log, 15_000, api);
