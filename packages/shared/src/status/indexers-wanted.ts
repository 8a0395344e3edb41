import { PURGE_EVERY_MS } from '../contracts/retention.ts';
import { isRebuildDue } from '../indices/targets.ts';
import { countPendingUpTo } from '../outbox/backlog.ts';
import { isHealthy, type Inspection } from '../ownership/inspect-indices.ts';
import type { Database } from '../stores/postgres.ts';
import { withTimeout } from '../timing/with-timeout.ts';
import { readDueWork } from './due-work.ts';

export type ScalingLimits = { pendingPerIndexer: number; maxIndexers: number };

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
async function areIndicesInOrder({ alias, inspection }: WantedSources): Promise<boolean> {
  const inspected = await withTimeout(INSPECTION_TIMEOUT_MS, inspection());
  if (!inspected || !isHealthy(inspected, alias)) return false;
  return !inspected.targets.some((target) => target.ofAlias && (target.role === 'next' || isRebuildDue(target)));
}
