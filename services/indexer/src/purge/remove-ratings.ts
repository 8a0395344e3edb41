import type { Database } from '@ugc/shared/postgres/postgres';
import type { IndexDeps } from '../targets/target-indices.ts';
import { FIRST_POSITION, listTombstones, type Position } from './list-tombstones.ts';

const TOMBSTONES_PER_PAGE = 5_000;
const RATINGS_PER_SLICE = 5_000;

type RatingDeps = Pick<IndexDeps, 'database' | 'signal'>;

/** Deletes in slices, because one item may have a million ratings. */
export async function* removeRatings(deps: RatingDeps): AsyncGenerator<void> {
  for (let after: Position | undefined = FIRST_POSITION; after;) {
    deps.signal.throwIfAborted();
    const items = await listTombstones(deps.database, after, { olderThan: `interval '0 s'`, limit: TOMBSTONES_PER_PAGE });
    yield;
    for (const item of items) if (item.rated) yield* removeRatingsOf(deps, item.contentId);
    after = items.at(-1);
  }
}

async function* removeRatingsOf({ database, signal }: RatingDeps, contentId: number): AsyncGenerator<void> {
  for (let last: number | null = 0; last !== null; yield) {
    signal.throwIfAborted();
    last = await removeAfter(database, contentId, last);
  }
}

/** @returns the highest user ID whose rating was removed; null if no rating was left */
async function removeAfter(database: Database, contentId: number, userId: number): Promise<number | null> {
  const [removed] = await database.query<{ last: number | null }>(
    `with removed as (
       delete from rating where content_id = $1 and ctid = any(array(
         select ctid from rating where content_id = $1 and user_id > $2 order by user_id limit ${RATINGS_PER_SLICE}
       )) returning user_id
     )
     select max(user_id) as last from removed`,
    [contentId, userId],
  );
  return removed?.last ?? null;
}
