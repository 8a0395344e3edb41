import { BULK_BATCH_SIZE, bulkBackpressure, type BackpressureOptions } from '@ugc/shared/outbox/backpressure';
import { compareIndex, type Difference } from './compare.ts';
import type { IndexDeps } from './target-indices.ts';
import type { Progress } from './fill.ts';
import { repairIndex } from './repair.ts';

export type AuditOptions = {
  /** Puts differing items into the outbox, with backpressure. A repeated audit finds those that are left. */
  repair: boolean;
  found: (difference: Difference) => void;
  progress: Progress;
  pace?: BackpressureOptions;
};

/** Reports every difference between PostgreSQL and an index in content_id order. Dropped changes are not repaired. */
export async function auditIndex(deps: IndexDeps, indexName: string, { repair, found, progress, pace }: AuditOptions): Promise<void> {
  const waitForBacklog = bulkBackpressure(deps.database, { signal: deps.signal, ...pace });
  let batch: Difference[] = [];
  const repairBatch = async (): Promise<void> => {
    if (batch.length === 0) return;
    await waitForBacklog();
    await repairIndex(deps.database, batch);
    batch = [];
  };
  for await (const difference of compareIndex(deps, indexName, progress)) {
    found(difference);
    if (repair && difference.difference !== 'dropped') batch.push(difference);
    if (batch.length === BULK_BATCH_SIZE) await repairBatch();
  }
  await repairBatch();
}
