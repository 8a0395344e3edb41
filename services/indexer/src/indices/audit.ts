import { BULK_BATCH_SIZE, bulkBackpressure, type BackpressureOptions } from '@ugc/shared/outbox/backpressure';
import { markPending } from '@ugc/shared/outbox/mark-pending';
import type { ItemRevision } from '@ugc/shared/outbox/states';
import type { Database } from '@ugc/shared/stores/postgres';
import { compareIndex, type Difference } from './compare.ts';
import type { IndexDeps } from './target-indices.ts';
import type { Progress } from './fill.ts';

type AuditOptions = {
  repair: boolean;
  found: (difference: Difference) => void;
  progress: Progress;
  pace?: BackpressureOptions;
};

/** Reports the differences in content_id order. Dropped changes are not repaired. */
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

/** Each item gets a revision above that of the index, which rejects older ones. Orphaned documents are deleted. */
async function repairIndex(database: Database, differences: Difference[]): Promise<void> {
  await database.transaction(async (tx) => {
    const stored = await tx.query<ItemRevision>(
      `with wrong as (
         select c.content_id, greatest(c.revision, w.indexed_revision) + 1 as above
         from unnest($1::bigint[], $2::bigint[]) as w (content_id, indexed_revision) join content c using (content_id)
         order by c.content_id for no key update of c
       )
       update content c set revision = above from wrong where c.content_id = wrong.content_id returning c.content_id, c.revision`,
      [differences.map(({ contentId }) => contentId), differences.map(({ indexedRevision }) => indexedRevision)],
    );
    const known = new Set(stored.map((row) => row.content_id));
    const orphans = differences
      .filter(({ contentId }) => !known.has(contentId))
      .map(({ contentId, indexedRevision }) => ({ content_id: contentId, revision: indexedRevision ?? 0 }));
    await markPending(tx, [...stored, ...orphans]);
  });
}
