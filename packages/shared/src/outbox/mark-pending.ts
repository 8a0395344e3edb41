import { FREE_CLAIM, HIDDEN_EARLIER, type ItemRevision } from './states.ts';
import type { Tx } from '../postgres/postgres.ts';
import { activeTraceparent } from '../tracing/spans.ts';

/** Must run in the transaction that raised the revisions. Within `delayMs`, changes of the same item are combined. */
export async function markPending(tx: Tx, changes: ItemRevision[], delayMs = 0): Promise<void> {
  await tx.query(
    `with changed as (select * from unnest($1::bigint[], $2::bigint[]) as c (content_id, revision))
     ${insertPending('changed', { delayMs: '$3', traceparent: '$4' })}`,
    [changes.map((change) => change.contentId), changes.map((change) => change.revision), delayMs, activeTraceparent()],
  );
}

/**
 * Must run in the transaction that hides the items. They are claimed before all other changes, also if an earlier change
 * is in a job that waits.
 */
export async function markHidden(tx: Tx, changes: ItemRevision[]): Promise<void> {
  await markPending(tx, changes);
  await tx.query(
    `/* outbox: mark hidden */ update index_outbox
     set ${FREE_CLAIM}, due_at = clock_timestamp() - ${HIDDEN_EARLIER}, claims = greatest(0, claims - (job_id is not null)::integer)
     where content_id = any($1::bigint[])`,
    [changes.map((change) => change.contentId)],
  );
}

/** Parameters of a statement, for example `$2`. `traceparent` is that of `activeTraceparent`. */
type PendingParameters = { delayMs: string; traceparent: string };

/** Belongs into a statement that also makes the change. The trace of the row is that of the newest change. */
export function insertPending(changed: string, { delayMs, traceparent }: PendingParameters): string {
  return `/* outbox: mark pending */ insert into index_outbox as o (content_id, revision, due_at, traceparent)
     select content_id, revision, clock_timestamp() + ${delayMs}::integer * interval '1 millisecond', ${traceparent}::text
     from ${changed} order by content_id
     on conflict (content_id) do update
     set revision = excluded.revision, due_at = least(o.due_at, excluded.due_at), rejected_reason = null,
       traceparent = excluded.traceparent, changed_at = clock_timestamp()`;
}
