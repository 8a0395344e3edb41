import { CLAIMS_BEFORE_ISOLATION, NOT_REJECTED } from './states.ts';
import type { Database } from '../stores/postgres.ts';

/** Adds an item that may crash the process that indexes it to the outbox. The next claim gives it a job of its own. */
export async function isolateItem(database: Database, contentId: number): Promise<void> {
  await database.query(
    `/* outbox: isolate item */ insert into index_outbox as o (content_id, revision, claims)
     select content_id, revision, $2 from content where content_id = $1
     on conflict (content_id) do update set revision = greatest(o.revision, excluded.revision), claims = greatest(o.claims, excluded.claims)`,
    [contentId, CLAIMS_BEFORE_ISOLATION],
  );
}

/** @returns the first isolated items whose own jobs ended without an acknowledgement, in content_id order */
export async function listIsolatedItems(database: Database, limit: number): Promise<number[]> {
  const rows = await database.query<{ content_id: number }>(
    `/* outbox: list isolated items */ select content_id from index_outbox
     where claims > $1 and ${NOT_REJECTED} order by content_id limit $2`,
    [CLAIMS_BEFORE_ISOLATION, limit],
  );
  return rows.map((row) => row.content_id);
}
