import type { Database, Tx } from '../postgres/postgres.ts';
import type { EmbeddingsEnv } from './embeddings-env.ts';

/** The vectors of one model. Those of `search` rank lists. */
export type Generation = {
  generation: number;
  model: string;
  dimensions: number | null;
  queryPrefix: string;
  textPrefix: string;
};

const COLUMNS = 'generation, model, dimensions, query_prefix, text_prefix';

const FIND_SEARCHED = {
  name: 'find-searched-generation',
  text: `select ${COLUMNS} from embedding_model where state = 'search'`,
};

export async function findSearchedGeneration(database: Pick<Database, 'query'>): Promise<Generation | undefined> {
  const [found] = await database.query<Generation>(FIND_SEARCHED);
  return found;
}

type ModelEnv = Pick<EmbeddingsEnv, `EMBEDDINGS_${'MODEL' | 'DIMENSIONS' | 'QUERY_PREFIX' | 'TEXT_PREFIX'}`>;

/** A walk begins when it is due, unless it has begun since then. */
const WALK_NOW = `walk_due_at = clock_timestamp()`;
/** The API may still use the model for a moment. */
const RETIRED = `state = 'previous', state_since = clock_timestamp(), walked_to = 0, walk_due_at = clock_timestamp() + interval '1 minute'`;

/** Serializes the processes that start at the same time, and waits for walks, which lock a row before they change it. */
const LOCK = 'lock table embedding_model in exclusive mode';
const IS_CONFIGURED = `model = $1 and dimensions is not distinct from $2::integer and query_prefix = $3 and text_prefix = $4`;

/**
 * The generation of the configured model, which is made if it does not exist. Another one that is being filled is given
 * up. The walk begins anew.
 */
export async function openGeneration(database: Pick<Database, 'transaction'>, env: ModelEnv): Promise<Generation> {
  const configured = [env.EMBEDDINGS_MODEL, env.EMBEDDINGS_DIMENSIONS ?? null, env.EMBEDDINGS_QUERY_PREFIX, env.EMBEDDINGS_TEXT_PREFIX];
  return database.transaction(async (tx) => {
    await tx.query(LOCK);
    await tx.query(`update embedding_model set ${RETIRED} where state = 'next' and not (${IS_CONFIGURED})`, configured);
    const [found] = await tx.query<Generation>(
      `update embedding_model set ${WALK_NOW}, used_at = clock_timestamp()
       where state <> 'previous' and ${IS_CONFIGURED} returning ${COLUMNS}`,
      configured,
    );
    if (found) return found;
    const [created] = await tx.query<Generation>(
      `insert into embedding_model (model, dimensions, query_prefix, text_prefix) values ($1, $2, $3, $4) returning ${COLUMNS}`,
      configured,
    );
    if (!created) throw new Error('the generation was not created');
    return created;
  });
}

/** The generation that work is done for: that which is being filled, or else the searched one. */
export const WORKED_FOR = `(select generation from embedding_model where state <> 'previous' order by state limit 1)`;

/** An indexer pauses for five minutes at most. */
const GIVEN_UP_AFTER = `interval '10 minutes'`;

/**
 * Records that an indexer works with the generation. @returns whether it should be opened again: another model has
 * replaced it, or is being filled, and no indexer works with that one any more
 */
export async function useGeneration({ query }: Pick<Database, 'query'>, generation: number): Promise<boolean> {
  await query(`update embedding_model set used_at = clock_timestamp() where generation = $1 and state <> 'previous'`, [generation]);
  const worked = await query(
    `select from embedding_model where generation = ${WORKED_FOR}
       and (generation = $1 or used_at > clock_timestamp() - ${GIVEN_UP_AFTER})`,
    [generation],
  );
  return worked.length === 0;
}

const WALK_EVERY = `interval '1 hour'`;
const WALK_AGAIN_AFTER = `interval '1 second'`;

/**
 * Ends a walk. If it has found every item with a vector, the model is searched from now on; otherwise the next walk
 * begins soon. Work whose text fails again and again does not keep a model from being searched.
 */
export async function endWalk({ query }: Tx, generation: number): Promise<void> {
  const [complete] = await query(
    `select from embedding_model where generation = $1 and walk_found = 0
       and not exists (select from embedding_work where attempts = 0 and added_at < walk_began_at)`,
    [generation],
  );
  const pause = complete ? WALK_EVERY : WALK_AGAIN_AFTER;
  await query(`update embedding_model set walk_due_at = clock_timestamp() + ${pause} where generation = $1`, [generation]);
  if (!complete) return;
  await query(
    `update embedding_model set ${RETIRED} where state = 'search' and generation <> $1
       and exists (select from embedding_model where generation = $1 and state = 'next')`,
    [generation],
  );
  await query(`update embedding_model set state = 'search', state_since = clock_timestamp() where generation = $1 and state = 'next'`, [
    generation,
  ]);
}

const SLICE = 5_000;

/**
 * Has the next walk find every vector of the newest model. Until it is made again, the present one serves.
 * @returns their number; undefined if there is no model
 */
export async function outdateVectors(database: Pick<Database, 'query' | 'write'>, signal: AbortSignal): Promise<number | undefined> {
  const [filled] = await database.query<{ generation: number }>(
    `select generation from embedding_model where state <> 'previous' order by generation desc limit 1`,
  );
  if (!filled) return undefined;
  let items = 0;
  for (let after: number | null = 0; after !== null;) {
    signal.throwIfAborted();
    const outdated: { contentId: number }[] = await database.write(
      `update embedding set text_hash = '' where generation = $1 and content_id in (
         select content_id from embedding where generation = $1 and content_id > $2 order by content_id limit ${SLICE})
       returning content_id`,
      [filled.generation, after],
    );
    items += outdated.length;
    after = outdated.length === 0 ? null : outdated.reduce((last, { contentId }) => Math.max(last, contentId), 0);
  }
  await database.write(`update embedding_model set ${WALK_NOW} where generation = $1`, [filled.generation]);
  return items;
}
