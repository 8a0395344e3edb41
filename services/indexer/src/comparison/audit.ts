import { forgetAhead, noteAudit } from '@ugc/shared/outbox/ahead';
import { BULK_BATCH_SIZE, bulkBackpressure, type BackpressureOptions } from '@ugc/shared/outbox/backlog';
import type { Database } from '@ugc/shared/postgres/postgres';
import { compareIndex, type Difference } from './compare.ts';
import { repairItems } from '../conflicts/resolve-conflicts.ts';
import type { IndexDeps, Progress } from '../targets/target-indices.ts';

type AuditOptions = {
  repair: boolean;
  found: (difference: Difference) => void;
  progress: Progress;
  pace?: BackpressureOptions;
};

/** Reports the differences in content_id order. Dropped changes are not repaired. */
export async function auditIndex(deps: IndexDeps, indexName: string, { repair, found, progress, pace }: AuditOptions): Promise<void> {
  const startedAt = await readClock(deps.database);
  const waitForBacklog = bulkBackpressure(deps.database, { signal: deps.signal, ...pace });
  let batch: Difference[] = [];
  const repairBatch = async (): Promise<void> => {
    if (batch.length === 0) return;
    await waitForBacklog();
    await repairItems(deps, batch);
    batch = [];
  };
  for await (const difference of compareIndex(deps, indexName, progress)) {
    found(difference);
    if (repair && difference.difference !== 'dropped') batch.push(difference);
    if (batch.length === BULK_BATCH_SIZE) await repairBatch();
  }
  await repairBatch();
  if (!repair) return;
  await forgetAhead(deps.database, startedAt);
  await noteAudit(deps.database);
}

/** Times are text, which keeps the microseconds. */
async function readClock(database: Database): Promise<string> {
  const [row] = await database.query<{ now: string }>(`select clock_timestamp()::text as now`);
  return row?.now ?? '';
}
