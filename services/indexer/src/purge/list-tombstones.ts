import { listItemsInOutbox } from '@ugc/shared/outbox/item-states';
import type { Database } from '@ugc/shared/postgres/postgres';

export type Position = { deletedAt: Date; contentId: number };
export type Tombstone = Position & { revision: number; rated: boolean; pending: boolean };

export const FIRST_POSITION: Position = { deletedAt: new Date(0), contentId: 0 };

/**
 * Lists in the order of deletion. The lateral join reads one index entry per tombstone, regardless of the planner's
 * estimates; a plain join with `rating` could read all ratings for every page.
 * @param olderThan a PostgreSQL interval
 */
export async function listTombstones(
  database: Database,
  { deletedAt, contentId }: Position,
  { olderThan, limit }: { olderThan: string; limit: number },
): Promise<Tombstone[]> {
  const page = await database.query<Omit<Tombstone, 'pending'>>(
    `with page as materialized (
       select deleted_at, content_id, revision from content
       where deleted_at < now() - ${olderThan} and (deleted_at, content_id) > ($1, $2)
       order by deleted_at, content_id limit ${limit}
     )
     select p.*, r.user_id is not null as rated
     from page p
     left join lateral (select user_id from rating where content_id = p.content_id order by user_id limit 1) r on true
     order by p.deleted_at, p.content_id`,
    [deletedAt, contentId],
  );
  // Read after the page: a change that was made in between is not missed.
  const ids = page.map((tombstone) => tombstone.contentId);
  const pending = await listItemsInOutbox(database, ids);
  return page.map((tombstone) => ({ ...tombstone, pending: pending.has(tombstone.contentId) }));
}
