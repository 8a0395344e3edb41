import { progressBar } from '@ugc/shared/cli/output';
import type { Side } from './side.ts';

const BATCH = 20_000;

/** Adds drafts of the users until there are so many. Nothing of them is in the index. */
export async function insertDrafts({ cluster: { database }, users }: Side, count: number): Promise<void> {
  const [row] = await database.query<{ present: number }>('select count(*) as present from unpublished_content');
  const bar = progressBar('Inserting drafts');
  for (let present = Number(row?.present ?? 0); present < count; present += BATCH) {
    await database.query(
      `with draft as (
         insert into content (creator_id, name, description, data, version, tags, deleted_at)
         select ($1::bigint[])[1 + n % cardinality($1)], 'draft ' || n, repeat('some words ' || n || ' ', 10), '', 1, array['draft'], 'infinity'
         from generate_series($2::int, $3::int) n returning content_id, creator_id
       )
       insert into unpublished_content (content_id, creator_id, kind) select content_id, creator_id, 'draft' from draft`,
      [users.map(({ userId }) => userId), present + 1, Math.min(present + BATCH, count)],
    );
    bar.update(Math.min(present + BATCH, count), count);
  }
  bar.end();
  await database.query('analyze content, unpublished_content');
}
