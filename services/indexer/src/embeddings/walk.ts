import { textHash } from '@ugc/shared/embeddings/embedding-work';
import { endWalk, WORKED_FOR } from '@ugc/shared/embeddings/generations';
import type { Database } from '@ugc/shared/stores/postgres';

const STEP = 1_000;

type Step = { found: number; last: number | null };

/**
 * Adds work for the next items, in the order of their ids, that have no vector of this model and of their present text.
 * One indexer walks at a time, and only for the model that work is done for. @returns whether the walk goes on
 */
export async function walk(database: Database, generation: number): Promise<boolean> {
  return database.transaction(async (tx) => {
    const [step] = await tx.query<Step>(
      `/* embeddings: walk */ with at as (
         select walked_to from embedding_model
         where generation = $1 and walk_due_at <= clock_timestamp() and generation = ${WORKED_FOR} for no key update skip locked
       ), items as (
         select c.content_id, ${textHash('c')} as text_hash from content c, at
         where c.content_id > at.walked_to and c.deleted_at is null order by c.content_id limit ${STEP}
       ), added as (
         insert into embedding_work (content_id)
         select i.content_id from items i
         left join embedding e on e.content_id = i.content_id and e.generation = $1 and e.text_hash = i.text_hash
         where e.content_id is null order by i.content_id
         on conflict (content_id) do nothing returning content_id
       )
       select (select count(*) from added) as found, (select max(content_id) from items) as last from at`,
      [generation],
    );
    if (!step) return false;
    if (step.last === null) await endWalk(tx, generation);
    else await tx.query(ADVANCE, [generation, step.last, step.found]);
    return step.last !== null;
  });
}

const ADVANCE = `update embedding_model set walked_to = $2, walk_found = walk_found + $3 where generation = $1`;

type Slice = { generation: number; last: number | null };

/** Removes vectors of a previous model, in the order of the ids. @returns whether there are more */
export async function removePrevious(database: Database): Promise<boolean> {
  return database.transaction(async ({ query }) => {
    const [slice] = await query<Slice>(
      `/* embeddings: remove */ with at as (
         select generation, walked_to from embedding_model
         where state = 'previous' and walk_due_at <= clock_timestamp() order by generation limit 1 for no key update skip locked
       ), slice as (
         select e.content_id from embedding e, at where e.content_id > at.walked_to order by e.content_id limit ${STEP}
       ), removed as (
         delete from embedding e using at
         where e.generation = at.generation and e.content_id in (select content_id from slice)
       )
       select generation, (select max(content_id) from slice) as last from at`,
    );
    if (!slice) return false;
    const { generation, last } = slice;
    if (last === null) await query('delete from embedding_model where generation = $1', [generation]);
    else await query('update embedding_model set walked_to = $2 where generation = $1', [generation, last]);
    return true;
  });
}
