import { countRows } from './backlog.ts';
import type { ItemRevision } from './states.ts';
import type { Database } from '../stores/postgres.ts';

/**
 * The table index_dropped holds the rejected changes that an operator dropped. A row counts only while the item has
 * that revision and has no row in index_outbox: the item's next change ends it, whichever release makes that change.
 */
const DROPPED = `index_dropped d join content c using (content_id, revision)
  where not exists (select from index_outbox o where o.content_id = c.content_id)`;

export async function isDropped(database: Database, contentId: number, revision: number): Promise<boolean> {
  const isThis = `c.content_id = $1 and c.revision = $2`;
  const rows = await database.query(`/* outbox: is dropped */ select from ${DROPPED} and ${isThis}`, [contentId, revision]);
  return rows.length > 0;
}

export async function countDropped(database: Database): Promise<number> {
  return countRows(database, `/* outbox: count dropped */ select count(*) from ${DROPPED}`);
}

export async function listDropped(database: Database, afterContentId: number, limit: number): Promise<ItemRevision[]> {
  return database.query<ItemRevision>(
    `/* outbox: list dropped */ select c.content_id, c.revision from ${DROPPED} and c.content_id > $1 order by c.content_id limit $2`,
    [afterContentId, limit],
  );
}

export async function forgetDropped(database: Database, accepted: ItemRevision[]): Promise<void> {
  await remove(
    database,
    `exists (select from unnest($1::bigint[], $2::bigint[]) as t (content_id, revision)
       where t.content_id = d.content_id and t.revision = d.revision)`,
    [accepted.map((item) => item.contentId), accepted.map((item) => item.revision)],
  );
}

/** Removes rows of items that have changed since they were dropped or no longer exist. */
export async function removeStaleDropped(database: Database): Promise<void> {
  await remove(
    database,
    `d.dropped_at < clock_timestamp() - interval '1 minute' and d.content_id not in (select c.content_id from ${DROPPED})`,
  );
}

// Locks in content_id order: the same items may be dropped at the same time.
async function remove(database: Database, where: string, values: unknown[] = []): Promise<void> {
  await database.query(
    `/* outbox: remove dropped */
     with chosen as (select d.content_id from index_dropped d where ${where} order by d.content_id for update)
     delete from index_dropped d using chosen where d.content_id = chosen.content_id`,
    values,
  );
}
