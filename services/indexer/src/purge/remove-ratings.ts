import type { Database } from '@ugc/shared/stores/postgres';
import type { IndexDeps } from '../indices/indices.ts';
import { BEFORE_ALL, listTombstones, type Place } from './list-tombstones.ts';

const ITEMS_AT_ONCE = 5_000;
const RATINGS_AT_ONCE = 5_000;

type RatingDeps = Pick<IndexDeps, 'database' | 'signal'>;

/** Removes the ratings of deleted items, in slices of bounded size: one item may have a million. Yields after each slice. */
export async function* removeRatings(deps: RatingDeps): AsyncGenerator<void> {
  for (let after: Place | undefined = BEFORE_ALL; after;) {
    deps.signal.throwIfAborted();
    const items = await listTombstones(deps.database, after, { olderThan: `interval '0 s'`, limit: ITEMS_AT_ONCE });
    yield;
    for (const item of items) if (item.rated) yield* removeRatingsOf(deps, item.content_id);
    after = items.at(-1);
  }
}

async function* removeRatingsOf({ database, signal }: RatingDeps, contentId: number): AsyncGenerator<void> {
  for (let last: number | null = 0; last !== null; yield) {
    signal.throwIfAborted();
    last = await removeAfter(database, contentId, last);
  }
}

/** @returns the last user whose rating was removed, null if there was none */
async function removeAfter(database: Database, contentId: number, userId: number): Promise<number | null> {
  const [removed] = await database.query<{ last: number | null }>(
    `with removed as (
       delete from rating where content_id = $1 and ctid = any(array(
         select ctid from rating where content_id = $1 and user_id > $2 order by user_id limit ${RATINGS_AT_ONCE}
       )) returning user_id
     )
     select max(user_id) as last from removed`,
    [contentId, userId],
  );
  return removed?.last ?? null;
}
