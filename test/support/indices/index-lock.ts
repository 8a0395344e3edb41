import * as indices from '@ugc/indexer/rebuild/rebuild';
import { INDEX_LOCK } from '@ugc/shared/indices/index-control';
import { withLock, type HeldLock } from '@ugc/shared/postgres/locks';
import { withIndexLock as changeIndices, type IndexDeps, type Progress } from '@ugc/indexer/targets/target-indices';
import { cancel, finish } from '@ugc/indexer/targets/recover-targets';
import { listTargets } from '@ugc/shared/indices/targets';
import type { Database } from '@ugc/shared/postgres/postgres';
import { until } from '../jest/until.ts';

// Operations on indices, repeated until they get the lock: the indexer checks the indices every 2 s and holds the lock
// meanwhile.

const ignoreProgress = (): void => undefined;

export function ensureIndex(deps: IndexDeps): Promise<void> {
  return untilLocked(() => indices.ensureIndex(deps, ignoreProgress));
}

export function rebuildIndex(deps: IndexDeps, progress: Progress = ignoreProgress): Promise<void> {
  return untilLocked(() => indices.rebuildIndex(deps, progress));
}

export function rollBack(deps: IndexDeps, progress: Progress = ignoreProgress): Promise<void> {
  return untilLocked(() => indices.rollBack(deps, progress));
}

/** Removes all indices but the searched one. */
export async function removeOtherIndices(deps: IndexDeps): Promise<void> {
  for (const role of new Set((await listTargets(deps.database)).map((target) => target.role)))
    if (role !== 'search') await untilLocked(() => changeIndices(deps, role === 'next' ? cancel : finish));
}

/** Holds the index lock during `work`. */
export function withIndexLock(database: Database, work: (lock: HeldLock) => Promise<void>): Promise<void> {
  return untilLocked(() => withLock(database, INDEX_LOCK, work));
}

/** Serves a test that does what only the holder of the index lock does, without the lock. */
export const WITHOUT_LOCK: HeldLock = {
  signal: new AbortController().signal,
  assertHeld: () => Promise.resolve(),
  check: () => Promise.resolve(),
};

function untilLocked(work: () => Promise<boolean>): Promise<void> {
  return until('the index lock is free', work);
}
