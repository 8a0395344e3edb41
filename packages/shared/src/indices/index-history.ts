import { errors, type estypes } from '@elastic/elasticsearch';
import type { IndexState } from './read-index-states.ts';
import { findTarget, type IndexTarget } from './targets.ts';
import type { Elasticsearch } from '../elasticsearch/elasticsearch.ts';
import type { Database } from '../postgres/postgres.ts';

/**
 * Elasticsearch's ids of the history of an index: another one begins when it restores the index from a snapshot, and that of
 * a shard also when it takes an old or a damaged copy for it. `index`: that of the settings, empty before the first restore.
 * The others are those of the shards, by their numbers; a shard that is not started has none.
 */
export type IndexHistory = Record<string, string>;

/**
 * What is still to be done after a restore. Lists are refused until the items that they must not show are found and their
 * changes are settled.
 */
export type Repair = 'find' | 'settle' | 'others';

/** The last restore of the searched index. */
export type Restored = { restoredAt: string; repair: Repair | null };

type Shards = { shards?: Record<string, { routing?: { primary?: boolean }; commit?: { user_data?: Record<string, string> } }[]> };

/** @throws errors of Elasticsearch, such as that of a closed index */
export async function readHistory(elasticsearch: Elasticsearch, indexName: string, state: IndexState): Promise<IndexHistory> {
  return { ...(await readShardHistories(elasticsearch, indexName)), index: state.history };
}

const SHARDS = ['indices.*.shards.*.commit.user_data', 'indices.*.shards.*.routing'];

/** Without the privilege to read the statistics, only restores are noticed. */
async function readShardHistories(elasticsearch: Elasticsearch, indexName: string): Promise<IndexHistory> {
  const request = { index: indexName, level: 'shards', metric: ['docs'], filter_path: SHARDS };
  const stats = await elasticsearch.indices.stats(request as estypes.IndicesStatsRequest).catch((error: unknown) => {
    if (error instanceof errors.ResponseError && error.statusCode === 403) return undefined;
    throw error;
  });
  const { shards = {} } = (stats?.indices?.[indexName] ?? {}) as Shards;
  const histories = Object.entries(shards).map(([shard, copies]) => {
    const primary = copies.find(({ routing }) => routing?.primary === true);
    return [shard, primary?.commit?.user_data?.['history_uuid']] as const;
  });
  return Object.fromEntries(histories.filter((entry): entry is readonly [string, string] => entry[1] !== undefined));
}

export function isOtherHistory(known: IndexHistory, present: IndexHistory): boolean {
  return Object.entries(present).some(([part, history]) => known[part] !== undefined && known[part] !== history);
}

/** Whether lists may show what is hidden or deleted. @param history that of the settings of the index */
export function isWithheld({ history: known, repair }: Pick<IndexTarget, 'history' | 'repair'>, history: string): boolean {
  return repair === 'find' || repair === 'settle' || (known !== null && isOtherHistory(known, { index: history }));
}

export function describeWithheld(indexName: string): string {
  return (
    `${indexName} was restored, or has lost writes, and may show hidden and deleted items: lists are answered when the indexer ` +
    'has removed them, which it does by itself while it runs and is not paused'
  );
}

type Noticed = { target: Pick<IndexTarget, 'indexName' | 'history'>; present: IndexHistory; isSearched: boolean };

/**
 * Learns the history of an index, or notices that it is another one. An index that is not searched is compared before it is.
 * A job that has written before the restore must not acknowledge: the generation is raised.
 * @returns whether a searched index was restored; false if another indexer was faster
 */
export async function noticeHistory(database: Database, { target, present, isSearched }: Noticed): Promise<boolean> {
  const { indexName, history: known } = target;
  const isRestored = known !== null && isSearched && isOtherHistory(known, present);
  const history = { ...known, ...present };
  if (!isRestored && known !== null && Object.entries(history).every(([part, of]) => known[part] === of)) return false;
  return database.transaction(async (tx) => {
    if (isRestored) await tx.query(`update index_control set generation = generation + 1`);
    const updated = await tx.query(
      `update index_target set history = $2::jsonb, repair = case when $4 then 'find' else repair end,
         restored_at = case when $4 then clock_timestamp() else restored_at end
       where index_name = $1 and history is not distinct from $3::jsonb returning 1`,
      [indexName, JSON.stringify(history), known && JSON.stringify(known), isRestored],
    );
    return isRestored && updated.length === 1;
  });
}

type Ended = { target: Pick<IndexTarget, 'indexName' | 'history'>; ended: Repair; next: Repair | null };

/** Does nothing if the index was restored again meanwhile. */
export async function endRepair({ query }: Pick<Database, 'query'>, { target, ended, next }: Ended): Promise<void> {
  await query(`update index_target set repair = $4 where index_name = $1 and repair = $3 and history = $2::jsonb`, [
    target.indexName,
    JSON.stringify(target.history),
    ended,
    next,
  ]);
}

/** @returns null if the searched index was never restored */
export async function readRestored(of: Parameters<typeof findTarget>[0]): Promise<Restored | null> {
  const search = await findTarget(of, 'search');
  return search?.restoredAt ? { restoredAt: search.restoredAt.toISOString(), repair: search.repair } : null;
}
