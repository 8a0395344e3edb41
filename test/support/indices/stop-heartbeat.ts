import { runSteps } from '@ugc/shared/process/lifecycle';
import { createLog } from '@ugc/shared/process/log';
import type { Service } from '../processes/service.ts';

/** Stops the relay, the worker, the maintenance of the indices and the heartbeats, so that the test writes the owner's records. */
export async function stopHeartbeat({ api, indexer }: Service): Promise<void> {
  await runSteps(createLog('test', 'silent'), [...api.shutdown.slice(1, 4), ...indexer.shutdown.slice(0, 3)]);
}
