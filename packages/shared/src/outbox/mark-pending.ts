import type { ItemRevision } from './states.ts';
import type { Tx } from '../stores/postgres.ts';

/**
 * Adds changes to the outbox. Must run in the transaction that raised the revisions. A change clears an earlier
 * rejection; of two due times the earlier one counts.
 * @param delayMs how long the changes may wait for other changes of the same items
 */
export async function markPending(tx: Tx, changes: ItemRevision[], delayMs = 0): Promise<void> {
  await tx.query(
    `with changed as (select * from unnest($1::bigint[], $2::bigint[]) as c (content_id, revision))
     ${insertPending('changed', '$3')}`,
    [changes.map((change) => change.content_id), changes.map((change) => change.revision), delayMs],
  );
}

/**
 * The SQL of markPending, for a statement that also makes the change.
 * @param changed a table expression with the columns `content_id` and `revision`
 * @param delayMs a parameter of the statement, for example `$2`
 */
export function insertPending(changed: string, delayMs: string): string {
  return `/* outbox: mark pending */ insert into index_outbox as o (content_id, revision, due_at)
     select content_id, revision, clock_timestamp() + ${delayMs}::integer * interval '1 millisecond' from ${changed} order by content_id
     on conflict (content_id) do update
     set revision = excluded.revision, due_at = least(o.due_at, excluded.due_at), rejected_reason = null`;
}
