import { readPendingChanges, type PendingRow } from '@ugc/shared/outbox/read-pending-changes';
import type { Database } from '@ugc/shared/stores/postgres';
import { toChange, type Change } from '../documents/bulk.ts';
import type { IndexTarget } from '../targets.ts';

export type Target = Pick<IndexTarget, 'indexName' | 'role' | 'mappingVersion'>;
export type PendingChanges = { generation: number; targets: Target[]; changes: Change[] };

/**
 * Reads the current state of those items that are still in the outbox, and the targets to write them to.
 * @returns changes in content_id order; none while indexing is paused
 */
export async function readChanges(database: Database, contentIds: number[]): Promise<PendingChanges> {
  const { rows, ...list } = await readPendingChanges(database, contentIds);
  return { ...list, changes: rows.map(toPendingChange) };
}

// A row of the outbox without an item in PostgreSQL is a document to be deleted.
function toPendingChange(row: PendingRow): Change {
  if (row.content_id === null) return { contentId: row.pending_id, revision: row.pending_revision, source: null };
  return toChange(row);
}
