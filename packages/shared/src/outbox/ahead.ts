import { IS_REPAIRED } from '../contracts/ahead.ts';
import type { Database, Query, Tx } from '../postgres/postgres.ts';
import { markPending } from './mark-pending.ts';
import type { ItemRevision } from './states.ts';

/** The last statement of its transaction: all transactions that see such items update the same row. */
async function recordAhead(tx: Tx, items: number): Promise<void> {
  await tx.query(
    `update index_ahead a set items = case when ${IS_REPAIRED} then 0 else items end + $1,
       first_seen_at = case when ${IS_REPAIRED} then clock_timestamp() else coalesce(first_seen_at, clock_timestamp()) end,
       last_seen_at = clock_timestamp()`,
    [items],
  );
}

/** A complete audit with repair has ended. The continuous comparison does not call this: an operator has not seen what it found. */
export async function noteAudit({ query }: { query: Query }): Promise<void> {
  await query(`update index_ahead set audited_at = clock_timestamp()`);
}

/** A complete comparison with repair that began at `startedAt` has found every item that was ahead by then. */
export async function forgetAhead({ query }: { query: Query }, startedAt: string): Promise<void> {
  await query(`update index_ahead set items = 0, first_seen_at = null, last_seen_at = null where first_seen_at < $1::timestamptz`, [
    startedAt,
  ]);
}

/** `version`: the greatest version that a target has of the item's document; 0 without a document. */
export type IndexedVersion = { contentId: number; version: number };

/**
 * Every target accepts a revision above all versions, so each item is written again. The document of an item that
 * PostgreSQL does not have is deleted, with its version as the revision.
 * @param ahead how many of the items were found in a newer state than that of PostgreSQL
 */
export async function raiseRevisions(database: Database, items: IndexedVersion[], ahead = 0): Promise<void> {
  await database.transaction(async (tx) => {
    const raised = await raiseStored(tx, items);
    const stored = new Set(raised.map((row) => row.contentId));
    const orphans = items
      .filter(({ contentId, version }) => version > 0 && !stored.has(contentId))
      .map(({ contentId, version }) => ({ contentId, revision: version }));
    await markPending(tx, [...raised, ...orphans]);
    if (orphans.length > 0) await correctReused(tx, orphans);
    if (ahead > 0) await recordAhead(tx, ahead);
  });
}

function raiseStored(tx: Tx, items: IndexedVersion[]): Promise<ItemRevision[]> {
  return tx.query<ItemRevision>(
    `/* outbox: raise revisions */ with wrong as (
       select c.content_id, greatest(c.revision, w.version) + 1 as above
       from unnest($1::bigint[], $2::bigint[]) as w (content_id, version) join content c using (content_id)
       order by c.content_id for no key update of c
     )
     update content c set revision = above from wrong where c.content_id = wrong.content_id returning c.content_id, c.revision`,
    [items.map(({ contentId }) => contentId), items.map(({ version }) => version)],
  );
}

/**
 * After a restore an upload may take the id of an orphan while the orphan is marked. With a revision above that of the
 * upload, its row could not be acknowledged.
 */
async function correctReused(tx: Tx, orphans: ItemRevision[]): Promise<void> {
  await tx.query(
    `/* outbox: correct reused ids */ update index_outbox o set revision = c.revision from content c
     where o.content_id = any($1::bigint[]) and c.content_id = o.content_id and o.revision > c.revision`,
    [orphans.map((orphan) => orphan.contentId)],
  );
}
