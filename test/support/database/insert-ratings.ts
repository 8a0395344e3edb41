import type { Database } from '@ugc/shared/postgres/postgres';

/** Inserts ratings of an item into PostgreSQL, each from a new user. */
export async function insertRatings(database: Database, contentId: number, count: number): Promise<void> {
  await database.query(
    `with raters as (
       insert into users (username, credential) select 'rater', 'rater|' || $1::bigint || '|' || n from generate_series(1, $2::int) n returning user_id
     ), rated as (insert into rating (content_id, user_id, score) select $1, user_id, 3 from raters)
     update content set rating_sum = rating_sum + 3 * $2::int, rating_count = rating_count + $2 where content_id = $1`,
    [contentId, count],
  );
}

export async function countRatings(database: Database, contentId: number): Promise<number> {
  const [row] = await database.query<{ count: number }>('select count(*) from rating where content_id = $1', [contentId]);
  return row?.count ?? 0;
}
