import type { Database } from '@ugc/shared/postgres';

type Items = { count: number; prefix?: string; pending?: boolean };

/** Puts items straight into PostgreSQL, by the thousand, as uploads of user 1; `pending` into the outbox too. @returns their ids */
export async function insertItems(database: Database, { count, prefix = 'item', pending = true }: Items): Promise<number[]> {
  const rows = await database.query<{ content_id: number }>(
    `with c as (
       insert into content (creator_id, name, description, data, version, tags)
       select 1, $2 || ' ' || n, repeat('some words of item ' || n || ' ', 20), repeat('x', 500), 1, array['many', 'tag ' || n % 100]
       from generate_series(1, $1) n returning content_id, revision
     ), o as (insert into index_outbox (content_id, revision) select content_id, revision from c where $3)
     select content_id from c order by content_id`,
    [count, prefix, pending],
  );
  return rows.map((row) => row.content_id);
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
