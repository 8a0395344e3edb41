import { BULK_BATCH_SIZE, bulkBackpressure, type BackpressureOptions } from '@ugc/shared/outbox/backpressure';
import { compareIndex, type Difference } from './compare.ts';
import type { IndexDeps } from './indices.ts';
import type { Progress } from './fill.ts';
import { repairIndex } from './repair.ts';

export type AuditOptions = {
  /** Whether what differs is put into the outbox, at the pace of bulk work. Repeated, an audit that was stopped finds the rest. */
  repair: boolean;
  found: (difference: Difference) => void;
  progress: Progress;
  pace?: BackpressureOptions;
};

/** Names every difference between PostgreSQL and an index in content_id order, and repairs them if asked to, all but dropped changes. */
export async function auditIndex(deps: IndexDeps, indexName: string, { repair, found, progress, pace }: AuditOptions): Promise<void> {
  const turn = bulkBackpressure(deps.database, { signal: deps.signal, ...pace });
  let batch: Difference[] = [];
  const repairBatch = async (): Promise<void> => {
    if (batch.length === 0) return;
    await turn();
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
