import { INDEX_LOCK, type IndexDeps } from '@ugc/indexer/indices/target-indices';
import * as indices from '@ugc/indexer/indices/rebuild';
import type { Progress } from '@ugc/indexer/indices/fill';
import { listTargets } from '@ugc/indexer/targets';
import type { Database } from '@ugc/shared/stores/postgres';
import { until } from './until.ts';

// What changes indices, tried until it is its turn: the indexer looks after them every 2 s, and holds their lock for a moment then.

const quietly = (): void => undefined;

export function ensureIndex(deps: IndexDeps): Promise<void> {
  return inTurn(() => indices.ensureIndex(deps, quietly));
}

export function rebuildIndex(deps: IndexDeps, progress: Progress = quietly): Promise<void> {
  return inTurn(() => indices.rebuildIndex(deps, progress));
}

export function rollBack(deps: IndexDeps, progress: Progress = quietly): Promise<void> {
  return inTurn(() => indices.rollBack(deps, progress));
}

/** Leaves the searched index alone. */
export async function removeOtherIndices(deps: IndexDeps): Promise<void> {
  for (const { role } of await listTargets(deps.database)) if (role !== 'search') await inTurn(() => indices.removeTarget(deps, role));
}

/** Nobody else changes indices during `work`. */
export function holdingIndices(database: Database, work: () => Promise<void>): Promise<void> {
  return inTurn(() => database.withLock(INDEX_LOCK, work));
}

function inTurn(work: () => Promise<boolean>): Promise<void> {
  return until('it is its turn', work);
}
