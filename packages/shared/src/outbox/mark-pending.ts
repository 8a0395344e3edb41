import { CLAIMS_BEFORE_ISOLATION, END_REJECTION, FREE_CLAIM, HIDDEN_EARLIER, type ItemRevision } from './states.ts';
import type { Database, Tx } from '../postgres/postgres.ts';
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
  await goFirst(
    tx,
    changes.map((change) => change.contentId),
  );
}

/** The rows are claimed before all others, also if a job has them. */
async function goFirst(tx: Tx, contentIds: number[]): Promise<void> {
  await tx.query(
    `/* outbox: mark hidden */ update index_outbox
     set ${FREE_CLAIM}, due_at = clock_timestamp() - ${HIDDEN_EARLIER}, claims = greatest(0, claims - (job_id is not null)::integer)
     where content_id = any($1::bigint[])`,
    [contentIds],
  );
}

/** What lists must not show: a row of such an item has no row of `content`, or one that is deleted or hidden. */
const WITHHELD = `index_outbox o left join content c on c.content_id = o.content_id
  where o.rejected_reason is null and (c.content_id is null or c.deleted_at is not null)`;

/** The pending changes of deleted and hidden items go before all others. Not to be repeated: it ends the claims. */
export async function putWithheldFirst(database: Pick<Database, 'query' | 'transaction'>, signal: AbortSignal): Promise<void> {
  const rows = await database.query<{ contentId: number }>(`/* outbox: list withheld */ select o.content_id from ${WITHHELD} order by 1`);
  for (let first = 0; first < rows.length; first += FIRST_BATCH) {
    signal.throwIfAborted();
    const contentIds = rows.slice(first, first + FIRST_BATCH).map(({ contentId }) => contentId);
    await database.transaction(async (tx) => {
      await tx.query(`select from index_outbox where content_id = any($1::bigint[]) order by content_id for update`, [contentIds]);
      await goFirst(tx, contentIds);
    });
  }
}

const FIRST_BATCH = 500;

/** What became pending by `latest`, without isolated items, which may never be acknowledged. */
export async function isWithheldPending({ query }: Pick<Database, 'query'>, latest: string): Promise<boolean> {
  const select = `/* outbox: is withheld pending */ select 1 from ${WITHHELD} and o.claims <= $1 and o.pending_since <= $2::timestamptz limit 1`;
  return (await query(select, [CLAIMS_BEFORE_ISOLATION, latest])).length > 0;
}

/** Parameters of a statement, for example `$2`. `traceparent` is that of `activeTraceparent`. */
type PendingParameters = { delayMs: string; traceparent: string };

/** Claims do not look for the due time that a row had when it was rejected. Without a value, the change decides. */
const DUE_UNLESS_REJECTED = `case when o.rejected_reason is null then o.due_at end`;

/** Belongs into a statement that also makes the change. The trace of the row is that of the newest change. */
export function insertPending(changed: string, { delayMs, traceparent }: PendingParameters): string {
  return `/* outbox: mark pending */ insert into index_outbox as o (content_id, revision, due_at, traceparent)
     select content_id, revision, clock_timestamp() + ${delayMs}::integer * interval '1 millisecond', ${traceparent}::text
     from ${changed} order by content_id
     on conflict (content_id) do update
     set revision = excluded.revision, due_at = least(${DUE_UNLESS_REJECTED}, excluded.due_at), ${END_REJECTION},
       traceparent = excluded.traceparent, changed_at = clock_timestamp()`;
}
