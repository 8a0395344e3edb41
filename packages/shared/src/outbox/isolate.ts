import { CLAIMS_BEFORE_ISOLATION } from './outbox.ts';
import type { Database } from '../stores/postgres.ts';

/** Puts an item into the outbox as one that is suspected of killing its indexers: from now on it gets a job of its own. */
export async function isolateItem(database: Database, contentId: number): Promise<void> {
  await database.query(
    `insert into index_outbox as o (content_id, revision, claims) select content_id, revision, $2 from content where content_id = $1
     on conflict (content_id) do update set revision = greatest(o.revision, excluded.revision), claims = greatest(o.claims, excluded.claims)`,
    [contentId, CLAIMS_BEFORE_ISOLATION],
  );
}
