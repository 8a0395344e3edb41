import type { Database } from '../stores/postgres.ts';

/**
 * The vectors of the items. `model`: the configured one, with `embedded` of the `items`; it is searched when it is complete.
 * `searchedModel` is null before the first one is. `refused`: texts that the service does not embed. `waiting`: texts to
 * be embedded.
 */
export type EmbeddingsStatus = {
  model: string;
  searchedModel: string | null;
  items: number;
  embedded: number;
  refused: number;
} & WaitingTexts;

export type WaitingTexts = { waiting: number; oldestWaitingSeconds: number | null };

/** Counts the items. @returns undefined if no indexer has ever embedded any */
export async function readEmbeddings(database: Pick<Database, 'query'>): Promise<EmbeddingsStatus | undefined> {
  const [[status], waiting] = await Promise.all([database.query<Omit<EmbeddingsStatus, keyof WaitingTexts>>(COUNT), readWaiting(database)]);
  return status && { ...status, ...waiting };
}

/** Needs no model: texts also wait if no indexer has EMBEDDINGS_URL. */
export async function readWaiting({ query }: Pick<Database, 'query'>): Promise<WaitingTexts> {
  const [waiting] = await query<WaitingTexts>(
    `/* embeddings: waiting */ select count(*) as waiting,
       extract(epoch from clock_timestamp() - min(added_at))::float8 as oldest_waiting_seconds
     from embedding_work`,
  );
  return waiting ?? { waiting: 0, oldestWaitingSeconds: null };
}

const COUNT = `/* embeddings: status */ with filled as (
       select generation, model from embedding_model where state in ('next', 'search') order by state limit 1
     )
     select f.model, (select model from embedding_model where state = 'search') as searched_model,
       (select count(*) from content where deleted_at is null) as items,
       (select count(*) from embedding e where e.generation = f.generation)
         - (select count(*) from embedding e where e.generation = f.generation and e.vector is null) as embedded,
       (select count(*) from embedding e where e.generation = f.generation and e.vector is null) as refused
     from filled f`;
