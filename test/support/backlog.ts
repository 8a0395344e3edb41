import type { Database } from '@ugc/shared/postgres';

/** Items that appear all at once, past the API, each with a change to index. */
export async function insertBacklog(database: Database, items: number): Promise<void> {
  await database.query(
    `with stored as (
       insert into content (creator_id, name, description, data, version, tags)
       select 1, 'backlog ' || n, repeat('some words of item ' || n || ' ', 20), repeat('x', 500), 1, array['backlog', 'tag ' || n % 100]
       from generate_series(1, $1::int) n returning content_id, revision
     )
     insert into index_outbox (content_id, revision) select content_id, revision from stored`,
    [items],
  );
}
