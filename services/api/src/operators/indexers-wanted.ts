import {
  PURGE_EVERY_MS,
  dayOf,
  IDEMPOTENCY_KEY_RETENTION,
  SEARCH_INSIGHT_DAYS,
  TOMBSTONE_RETENTION,
} from '@ugc/shared/contracts/retention';
import { readDeclaredFields } from '@ugc/shared/fields/declared-fields';
import { isRebuildDue } from '@ugc/shared/indices/targets';
import { countPendingUpTo } from '@ugc/shared/outbox/backlog';
import { isHealthy, type Inspection } from '@ugc/shared/ownership/inspect-indices';
import type { Database } from '@ugc/shared/postgres/postgres';
import { withTimeout } from '@ugc/shared/timing/timeouts';

type ScalingLimits = { pendingPerIndexer: number; maxIndexers: number };

export type WantedSources = {
  database: Database;
  alias: string;
  inspection: () => Promise<Inspection>;
  isSearchable: () => Promise<boolean>;
  scaling: ScalingLimits;
};

/** `isIdle`: nothing but pending changes needs an indexer. `canShare`: several indexers are faster than one. */
type Work = { pending: number; isIdle: boolean; canShare: boolean };

/** Elasticsearch is asked about the same time as PostgreSQL, and the scrape waits for 2 s. */
const INSPECTION_TIMEOUT_MS = 1_000;

/** @throws DatabaseUnavailable: without PostgreSQL nobody knows, and 0 would be wrong */
export async function readIndexersWanted(sources: WantedSources): Promise<number> {
  const { database, scaling, isSearchable } = sources;
  const [pending, due, inOrder, searchable] = await Promise.all([
    countPendingUpTo(database, countedUpTo(scaling)),
    readDueWork(database, PURGE_EVERY_MS),
    areIndicesInOrder(sources),
    isSearchable(),
  ]);
  const isIdle = inOrder && !due.purge && !due.comparison;
  return indexersWanted({ pending, isIdle, canShare: searchable && !due.paused }, scaling);
}

/** The count stops at the first change for which the maximum is wanted. */
function countedUpTo({ pendingPerIndexer, maxIndexers }: ScalingLimits): number {
  return (maxIndexers - 1) * pendingPerIndexer + 1;
}

/** While Elasticsearch is down or indexing is paused, the backlog grows, and no number of indexers makes it smaller. */
export function indexersWanted({ pending, isIdle, canShare }: Work, { pendingPerIndexer, maxIndexers }: ScalingLimits): number {
  if (pending === 0 && isIdle) return 0;
  return canShare ? Math.min(Math.max(1, Math.ceil(pending / pendingPerIndexer)), maxIndexers) : 1;
}

/** Indices that Elasticsearch does not describe are not in order: an indexer has to be there when it is back. */
async function areIndicesInOrder({ database, alias, inspection }: WantedSources): Promise<boolean> {
  const inspected = await withTimeout(INSPECTION_TIMEOUT_MS, inspection());
  if (!inspected || !isHealthy(inspected, alias)) return false;
  const declared = await readDeclaredFields(database);
  return !inspected.targets.some((target) => target.ofAlias && (target.role === 'next' || isRebuildDue(target, declared)));
}

const DAY_OF_LAST_PURGE = dayOf(`now() - $1 * interval '1 ms'`);

type DueWork = { paused: boolean; purge: boolean; comparison: boolean };

/**
 * What an indexer has to do without a pending change. A running indexer purges at this interval, so older rows than these
 * mean that none did. A comparison is due a day after the last one: a new index was compared when it was filled. A time in
 * the future, from before the clock was set back, does not count as one.
 */
async function readDueWork(database: Database, purgeEveryMs: number): Promise<DueWork> {
  const [due] = await database.query<DueWork>(
    `select paused_at is not null as paused,
       exists (select from idempotency_key where created_at < now() - ${IDEMPOTENCY_KEY_RETENTION} - $1 * interval '1 ms')
       or exists (select from content t where deleted_at < now() - ${TOMBSTONE_RETENTION} - $1 * interval '1 ms'
         and not exists (select from index_outbox o where o.content_id = t.content_id))
       or exists (select from search_insight_user where day < ${DAY_OF_LAST_PURGE})
       or exists (select from search_insight where day <= ${DAY_OF_LAST_PURGE} - ${SEARCH_INSIGHT_DAYS}) as purge,
       not exists (select from (
           select (last_round->>'completedAt')::timestamptz as compared_at from index_comparison
           union all select role_since from index_target where role = 'search'
         ) c where compared_at between now() - interval '1 day' and now() + interval '1 minute') as comparison
     from index_control`,
    [purgeEveryMs],
  );
  return due ?? { paused: false, purge: false, comparison: false };
}
