import { INDEX_LOCK, type IndexDeps } from '@ugc/indexer/indices/target-indices';
import * as indices from '@ugc/indexer/indices/rebuild';
import type { Progress } from '@ugc/indexer/indices/fill';
import { listTargets } from '@ugc/indexer/targets';
import type { Database } from '@ugc/shared/stores/postgres';
import { until } from './until.ts';

// Operations on indices, repeated until they get the lock: the indexer checks the indices every 2 s and holds the lock
// meanwhile.

const ignoreProgress = (): void => undefined;

export function ensureIndex(deps: IndexDeps): Promise<void> {
  return inTurn(() => indices.ensureIndex(deps, ignoreProgress));
}

export function rebuildIndex(deps: IndexDeps, progress: Progress = ignoreProgress): Promise<void> {
  return inTurn(() => indices.rebuildIndex(deps, progress));
}

export function rollBack(deps: IndexDeps, progress: Progress = ignoreProgress): Promise<void> {
  return inTurn(() => indices.rollBack(deps, progress));
}

/** Removes all indices but the searched one. */
export async function removeOtherIndices(deps: IndexDeps): Promise<void> {
  for (const { role } of await listTargets(deps.database)) if (role !== 'search') await inTurn(() => indices.removeTarget(deps, role));
}

/** Holds the lock of the indices during `work`. */
export function holdingIndices(database: Database, work: () => Promise<void>): Promise<void> {
  return inTurn(() => database.withLock(INDEX_LOCK, work));
}

function inTurn(work: () => Promise<boolean>): Promise<void> {
  return until('the lock of the indices is free', work);
}
