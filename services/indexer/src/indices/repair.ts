import { markPending } from '@ugc/shared/outbox/mark-pending';
import type { ItemRevision } from '@ugc/shared/outbox/states';
import type { Database } from '@ugc/shared/stores/postgres';
import type { Difference } from './compare.ts';

/**
 * Puts items into the outbox so that the index becomes equal to PostgreSQL. Each item gets a revision above that of the
 * index, which rejects older ones and remembers the version of a deleted document for a minute. Orphaned documents are
 * deleted.
 */
export async function repairIndex(database: Database, differences: Difference[]): Promise<void> {
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
