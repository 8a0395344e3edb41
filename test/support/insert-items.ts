import type { Database } from '@ugc/shared/stores/postgres';

type Items = { count: number; prefix?: string; pending?: boolean; progress?: (inserted: number) => void };

/** One statement must not take longer than it may. */
const AT_ONCE = 20_000;

/** Puts items straight into PostgreSQL as uploads of user 1; `pending` into the outbox too. @returns their ids */
export async function insertItems(database: Database, { count, prefix = 'item', pending = true, progress }: Items): Promise<number[]> {
  const ids: number[] = [];
  for (let first = 1; first <= count; first += AT_ONCE) {
    const last = Math.min(first + AT_ONCE - 1, count);
    for (const { content_id: id } of await insert(database, { first, last, prefix, pending })) ids.push(id);
    progress?.(last);
  }
  return ids;
}

type Numbered = { first: number; last: number; prefix: string; pending: boolean };

async function insert(database: Database, { first, last, prefix, pending }: Numbered): Promise<{ content_id: number }[]> {
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

/** An item that Elasticsearch refuses for its own fault: a tag that is longer than a term may be. The API would not have let it in. */
export async function insertPoison(database: Database, { pending = true } = {}): Promise<number> {
  const [row] = await database.query<{ content_id: number }>(
    `with c as (
       insert into content (creator_id, name, description, data, version, tags) select 1, 'poison', '', '', 1, array[repeat('x', 40000)]
       returning content_id, revision
     ), o as (insert into index_outbox (content_id, revision) select content_id, revision from c where $1)
     select content_id from c`,
    [pending],
  );
  return row?.content_id ?? 0;
}

/** As if it had never been: neither the item nor its change is left. */
export async function forgetItem(database: Database, contentId: number): Promise<void> {
  await database.query('delete from index_outbox where content_id = $1', [contentId]);
  await database.query('delete from content where content_id = $1', [contentId]);
}
