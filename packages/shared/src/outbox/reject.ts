import { FREE_CLAIM } from './states.ts';
import type { Database, Tx } from '../stores/postgres.ts';

export type Rejection = { contentId: number; revision: number; reason: string };

/** Rejects changes in an acknowledgement, which has locked the rows. Items with a newer revision remain pending. */
export async function rejectChanges(tx: Tx, rejections: Rejection[]): Promise<void> {
  await tx.query(
    `/* outbox: reject changes */ update index_outbox o
     set rejected_reason = w.reason, ${FREE_CLAIM}, claims = 0, due_at = clock_timestamp()
     from unnest($1::bigint[], $2::bigint[], $3::text[]) as w (content_id, revision, reason)
     where o.content_id = w.content_id and o.revision <= w.revision`,
    [rejections.map((r) => r.contentId), rejections.map((r) => r.revision), rejections.map((r) => r.reason)],
  );
}

/** Rejects an item that an index being filled does not accept, unless the item has a newer revision by now. */
export async function rejectItem(database: Database, { contentId, revision, reason }: Rejection): Promise<void> {
  await database.query(
    `/* outbox: reject item */ insert into index_outbox as o (content_id, revision, rejected_reason)
     select content_id, revision, $3 from content where content_id = $1 and revision = $2
     on conflict (content_id) do update
     set rejected_reason = excluded.rejected_reason, ${FREE_CLAIM} where o.revision <= excluded.revision`,
    [contentId, revision, reason],
  );
}
