import type { ItemRevision } from './outbox.ts';
import type { Database } from '../stores/postgres.ts';

/**
 * index_dropped remembers rejected changes that an operator dropped. An item counts as dropped only while it still has that
 * revision and nothing of it is in the outbox.
 */
const DROPPED = `index_dropped d join content c using (content_id, revision)
  where not exists (select from index_outbox o where o.content_id = c.content_id)`;

export async function isDropped(database: Database, contentId: number, revision: number): Promise<boolean> {
  const rows = await database.query(`select from ${DROPPED} and c.content_id = $1 and c.revision = $2`, [contentId, revision]);
  return rows.length > 0;
}

export async function countDropped(database: Database): Promise<number> {
  const [row] = await database.query<{ count: number }>(`select count(*) from ${DROPPED}`);
  return row?.count ?? 0;
}

/** In content_id order. */
export async function listDropped(database: Database, afterContentId: number, limit: number): Promise<ItemRevision[]> {
  return database.query<ItemRevision>(
    `select c.content_id, c.revision from ${DROPPED} and c.content_id > $1 order by c.content_id limit $2`,
    [afterContentId, limit],
  );
}

/** For items that an index has taken after all. */
export async function forgetDropped(database: Database, taken: ItemRevision[]): Promise<void> {
  await remove(
    database,
    `exists (select from unnest($1::bigint[], $2::bigint[]) as t (content_id, revision)
       where t.content_id = d.content_id and t.revision = d.revision)`,
    [taken.map((item) => item.content_id), taken.map((item) => item.revision)],
  );
}

/** Removes what no longer counts: the item has changed since, or is gone. Leaves alone what may be dropped again at this moment. */
export async function removeStaleDropped(database: Database): Promise<void> {
  await remove(
    database,
    `d.dropped_at < clock_timestamp() - interval '1 minute' and d.content_id not in (select c.content_id from ${DROPPED})`,
  );
}

// Locked in content_id order: a drop of the same items may be under way.
async function remove(database: Database, where: string, values: unknown[] = []): Promise<void> {
  await database.query(
    `with chosen as (select d.content_id from index_dropped d where ${where} order by d.content_id for update)
     delete from index_dropped d using chosen where d.content_id = chosen.content_id`,
    values,
  );
}
