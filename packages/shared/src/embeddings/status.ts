import type { EmbeddingsStatus, WaitingTexts } from '../contracts/operations-status.ts';
import type { Database } from '../postgres/postgres.ts';

/** Counts the items. @returns undefined if no indexer has ever embedded any */
export async function readEmbeddings(database: Pick<Database, 'query'>): Promise<EmbeddingsStatus | undefined> {
  const [[status], waiting] = await Promise.all([database.query<Omit<EmbeddingsStatus, keyof WaitingTexts>>(COUNT), readWaiting(database)]);
  return status && { ...status, ...waiting };
}

const MOST_WAITING = 10_000;

/** All items wait if there is no model, since no indexer has had EMBEDDINGS_URL; at most MOST_WAITING of them are counted. */
export async function readWaiting({ query }: Pick<Database, 'query'>): Promise<WaitingTexts> {
  const [waiting] = await query<WaitingTexts>(
    `/* embeddings: waiting */ select count(*) as waiting,
       extract(epoch from clock_timestamp() - min(added_at))::float8 as oldest_waiting_seconds
     from (
       select added_at from embedding_work where exists (select from embedding_model)
       union all
       (select created_at from content where deleted_at is null and not exists (select from embedding_model)
        order by content_id limit ${MOST_WAITING})
     ) w`,
  );
  return waiting ?? { waiting: 0, oldestWaitingSeconds: null };
}

const COUNT = `/* embeddings: status */ with filled as (
       select generation, model, state from embedding_model where state in ('next', 'search') order by state limit 1
     )
     select f.model, f.state = 'next' as filling, (select model from embedding_model where state = 'search') as searched_model,
       (select count(*) from content where deleted_at is null) as items,
       (select count(*) from embedding e where e.generation = f.generation)
         - (select count(*) from embedding e where e.generation = f.generation and e.vector is null) as embedded,
       (select count(*) from embedding e where e.generation = f.generation and e.vector is null) as refused
     from filled f`;
