import { probeWrite } from '@ugc/shared/indices/write-probe';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import type { Change } from './bulk.ts';
import { writeChanges, type WriteResults } from './write-changes.ts';

type Rejecting = { indexName: string; hasData: boolean };

/**
 * An index that rejects these changes also rejects every other one if the fault is its own, such as a missing pipeline.
 * The fault is that of a change if the index accepts an ordinary item and then rejects the change again.
 * @returns `reject` for the changes that are at fault, and `retry` for the others
 */
export async function confirmRejections(elasticsearch: Elasticsearch, index: Rejecting, changes: Change[]): Promise<WriteResults> {
  const refusal = await probeWrite(elasticsearch, index);
  if (refusal) return retryAll(changes, `it accepts no item: ${refusal.reason}`);
  const again = await writeChanges(elasticsearch, index.indexName, changes);
  const retried = retryAll(changes, 'it rejected the change and accepts it now');
  return new Map([...retried, ...[...again].filter(([, { outcome }]) => outcome !== 'done')]);
}

function retryAll(changes: Change[], reason: string): WriteResults {
  return new Map(changes.map(({ contentId }) => [contentId, { outcome: 'retry', reason }]));
}
