import { readPendingChanges, type PendingRow } from '@ugc/shared/outbox/read-pending-changes';
import type { Database } from '@ugc/shared/stores/postgres';
import { toChange, type Change } from '../documents/bulk.ts';
import type { IndexTarget } from '../targets.ts';

export type Target = Pick<IndexTarget, 'indexName' | 'role' | 'mappingVersion'>;
export type PendingChanges = { generation: number; targets: Target[]; changes: Change[] };

/** The current documents of the items that have a change, in content_id order, and the indices to write them to. */
export async function readChanges(database: Database, contentIds: number[]): Promise<PendingChanges> {
  const { rows, ...list } = await readPendingChanges(database, contentIds);
  return { ...list, changes: rows.map(toPendingChange) };
}

// A row whose item does not exist in PostgreSQL removes the document from the index.
function toPendingChange(row: PendingRow): Change {
  if (row.content_id === null) return { contentId: row.pending_id, revision: row.pending_revision, source: null };
  return toChange(row);
}
