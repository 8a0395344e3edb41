import type { Database } from '@ugc/shared/postgres/postgres';

type Items = { count: number; prefix?: string; pending?: boolean; progress?: (inserted: number) => void };

/** Keeps each statement below the statement timeout. */
const BATCH_SIZE = 20_000;

/** Inserts items of user 1 into PostgreSQL, and with `pending` also into the outbox. @returns their ids */
export async function insertItems(database: Database, { count, prefix = 'item', pending = true, progress }: Items): Promise<number[]> {
  const ids: number[] = [];
  for (let first = 1; first <= count; first += BATCH_SIZE) {
    const last = Math.min(first + BATCH_SIZE - 1, count);
    for (const { contentId: id } of await insert(database, { first, last, prefix, pending })) ids.push(id);
    progress?.(last);
  }
  return ids;
}

type Numbered = { first: number; last: number; prefix: string; pending: boolean };

async function insert(database: Database, { first, last, prefix, pending }: Numbered): Promise<{ contentId: number }[]> {
  return database.query(
    `with c as (
       insert into content (creator_id, name, description, data, version, tags)
       select 1, $3 || ' ' || n, repeat('some words of item ' || n || ' ', 20), repeat('x', 500), 1, array['many', 'tag ' || n % 100]
       from generate_series($1::int, $2::int) n returning content_id, revision
     ), o as (insert into index_outbox (content_id, revision) select content_id, revision from c where $4)
     select content_id from c order by content_id`,
    [first, last, prefix, pending],
  );
}

/**
 * Inserts an item that Elasticsearch rejects: its tag exceeds the maximum length of a term. The API does not accept
 * such an item.
 */
export async function insertPoison(database: Database, { pending = true } = {}): Promise<number> {
  const [row] = await database.query<{ contentId: number }>(
    `with c as (
       insert into content (creator_id, name, description, data, version, tags) select 1, 'poison', '', '', 1, array[repeat('x', 40000)]
       returning content_id, revision
     ), o as (insert into index_outbox (content_id, revision) select content_id, revision from c where $1)
     select content_id from c`,
    [pending],
  );
  return row?.contentId ?? 0;
}

/** Deletes the item and its change from PostgreSQL. */
export async function forgetItem(database: Database, contentId: number): Promise<void> {
  await database.query('delete from index_outbox where content_id = $1', [contentId]);
  await database.query('delete from content where content_id = $1', [contentId]);
}

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
