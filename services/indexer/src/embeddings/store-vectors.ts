import { textHash } from '@ugc/shared/embeddings/embedding-work';
import { WORKED_FOR } from '@ugc/shared/embeddings/generations';
import { vectorBytes } from '@ugc/shared/embeddings/vectors';
import type { Database } from '@ugc/shared/postgres/postgres';
import { releaseWork } from './claim-work.ts';
import type { Outcome } from './embed-texts.ts';

const REASON_MAX_CHARACTERS = 500;

/**
 * Stores what was made of the present text of an item, and removes its work. Where the text has changed meanwhile, or is
 * being changed, or while another model is being filled, the work stays. Vectors that another model made of an older text are removed.
 */
export async function storeVectors(database: Database, generation: number, made: Outcome[]): Promise<void> {
  if (made.length === 0) return;
  const done = await database.write<{ contentId: number }>(
    `/* embeddings: store */ with made as (
       select * from unnest($2::bigint[], $3::bytea[], $4::bytea[], $5::text[]) as m (content_id, text_hash, vector, refused_reason)
     ), current as (
       select c.content_id, ${textHash('c')} as text_hash from content c
       where c.content_id in (select content_id from made) and c.deleted_at is null
       order by c.content_id for share skip locked
     ), stored as (
       insert into embedding (content_id, generation, text_hash, vector, refused_reason)
       select m.content_id, $1::integer, m.text_hash, m.vector, m.refused_reason
       from made m join current c on c.content_id = m.content_id and c.text_hash = m.text_hash order by m.content_id
       on conflict (content_id, generation) do update
       set text_hash = excluded.text_hash, vector = excluded.vector, refused_reason = excluded.refused_reason
       returning content_id, text_hash
     ), outdated as (
       delete from embedding e using stored s
       where e.content_id = s.content_id and e.generation <> $1::integer and e.text_hash <> s.text_hash
     ), done as (
       delete from embedding_work w using stored s where w.content_id = s.content_id and $1::integer = ${WORKED_FOR} returning w.content_id
     )
     select content_id from done`,
    [
      generation,
      made.map(({ work }) => work.contentId),
      made.map(({ work }) => work.textHash),
      made.map((one) => ('vector' in one ? vectorBytes(one.vector) : null)),
      made.map((one) => ('refused' in one ? one.refused.slice(0, REASON_MAX_CHARACTERS) : null)),
    ],
  );
  const isDone = new Set(done.map(({ contentId }) => contentId));
  await releaseWork(
    database,
    made.map(({ work }) => work.contentId).filter((contentId) => !isDone.has(contentId)),
  );
}
