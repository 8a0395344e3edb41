import { textHash } from '@ugc/shared/embeddings/embedding-work';
import { endWalk, WORKED_FOR } from '@ugc/shared/embeddings/generations';
import type { Database } from '@ugc/shared/postgres/postgres';
import { windowEnd } from '../documents/item-window.ts';

const STEP = 1_000;

/** `begins`: a walk is due and has not begun. `isPaused`: the last one has ended, and the next is not due. */
type Position = { walkedTo: number; begins: boolean; isPaused: boolean };
type Step = { found: number; last: number | null };

/**
 * Adds work for the next items, in the order of their ids, that have no vector of this model and of their present text.
 * One indexer walks at a time, and only for the model that work is done for. Between two walks, it finds items with
 * higher ids: those that were loaded into the database without work. @returns whether there are more items
 */
export async function walk(database: Database, generation: number): Promise<boolean> {
  return database.transaction(async (tx) => {
    const [at] = await tx.query<Position>(LOCK_POSITION, [generation]);
    if (!at) return false;
    if (at.begins) await tx.query(BEGIN, [generation]);
    const after = at.begins ? 0 : at.walkedTo;
    const end = (await windowEnd(tx, after)) ?? null;
    const [{ found, last } = { found: 0, last: null }] = await tx.query<Step>(ADD_WORK, [generation, after, end]);
    if (last !== null) await tx.query(ADVANCE, [generation, last, found]);
    else if (!at.isPaused) await endWalk(tx, generation);
    return last !== null;
  });
}

const LOCK_POSITION = `/* embeddings: walk */ select walked_to, walk_due_at > statement_timestamp() as is_paused,
    walk_due_at <= statement_timestamp() and walk_began_at < walk_due_at as begins
  from embedding_model where generation = $1 and generation = ${WORKED_FOR} for no key update skip locked`;
const BEGIN = `update embedding_model set walk_found = 0, walk_began_at = clock_timestamp() where generation = $1`;
const ADD_WORK = `/* embeddings: find */ with items as (
    select c.content_id, ${textHash('c')} as text_hash from content c
    where c.content_id > $2 and c.content_id <= coalesce($3::bigint, ${Number.MAX_SAFE_INTEGER}) and c.deleted_at is null
    order by c.content_id limit ${STEP}
  ), added as (
    insert into embedding_work (content_id)
    select i.content_id from items i
    left join embedding e on e.content_id = i.content_id and e.generation = $1 and e.text_hash = i.text_hash
    where e.content_id is null order by i.content_id
    on conflict (content_id) do nothing returning content_id
  )
  select (select count(*) from added) as found, coalesce((select max(content_id) from items), $3::bigint) as last`;
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
