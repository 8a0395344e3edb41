import type { IndexTarget } from '../targets.ts';
import type { Database } from '@ugc/shared/stores/postgres';
import { toChange, type Change } from '../documents/bulk.ts';
import { INDEXED_CONTENT, type IndexedContent } from '../documents/document.ts';

export type Target = Pick<IndexTarget, 'indexName' | 'role' | 'mappingVersion'>;
export type PendingChanges = { generation: number; targets: Target[]; changes: Change[] };

type PendingRow = { pending_id: number; pending_revision: number } & (IndexedContent | { content_id: null });
type ReadRow = { generation: number; targets: Target[] } & (PendingRow | { pending_id: null });

/**
 * Reads the current state of those items that are still in the outbox, and the targets to write them to. One statement,
 * so rows and target list are from the same snapshot.
 * @returns changes in content_id order; none while indexing is paused
 */
export async function readChanges(database: Database, contentIds: number[]): Promise<PendingChanges> {
  const rows = await database.query<ReadRow>(
    `select g.generation, t.targets, o.*
     from index_control g
     cross join (
       select coalesce(json_agg(json_build_object('indexName', index_name, 'role', role, 'mappingVersion', mapping_version)), '[]') as targets
       from index_target where rejected_reason is null
     ) t
     left join (
       select o.content_id as pending_id, o.revision as pending_revision, ${INDEXED_CONTENT}
       from index_outbox o left join (content c join users u on u.user_id = c.creator_id) on c.content_id = o.content_id
       where o.content_id = any($1::bigint[]) and o.rejected_reason is null
     ) o on g.paused_at is null
     order by o.pending_id`,
    [contentIds],
  );
  return {
    generation: rows[0]?.generation ?? 0,
    targets: rows[0]?.targets ?? [],
    changes: rows.filter((row): row is ReadRow & PendingRow => row.pending_id !== null).map(toPendingChange),
  };
}

// A row of the outbox without an item in PostgreSQL is a document to be deleted.
function toPendingChange(row: PendingRow): Change {
  if (row.content_id === null) return { contentId: row.pending_id, revision: row.pending_revision, source: null };
  return toChange(row);
}
