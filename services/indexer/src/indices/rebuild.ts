import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { countPendingSince, latestPendingSince } from '@ugc/shared/outbox/backlog';
import { INDEX_LOCK } from '@ugc/shared/indices/index-lock';
import { inspectTargets, type InspectedTarget } from '@ugc/shared/indices/inspect-targets';
import { withLock } from '@ugc/shared/locks/with-lock';
import { setTimeout as delay } from 'node:timers/promises';
import { pausedSince } from '@ugc/shared/indices/pause';
import { findTarget, retireTargets, listTargets, type IndexTarget } from '@ugc/shared/indices/targets';
import {
  assertNotRetired,
  createNextIndex,
  pointAlias,
  RebuildError,
  removeIndex,
  unblockWrites,
  type IndexDeps,
  type LockedDeps,
} from './target-indices.ts';
import { fillIndex, type Progress } from './fill.ts';
import { assertComplete, promote, swapIndex } from './swap.ts';

const POLL_EVERY_MS = 200;

/**
 * Creates and fills an index at the first start, and after the loss of Elasticsearch's data. The alias is set at the
 * end: until then lists fail instead of being incomplete.
 * @returns false, like the functions below, if another process holds the index lock
 * @throws RebuildError
 */
export async function ensureIndex(deps: IndexDeps, progress: Progress): Promise<boolean> {
  if (isHealthy(await inspectTargets(deps))) return true;
  return withIndexLock(deps, async (held) => {
    if (!(await recoverTargets(held))) await build(held, progress);
  });
}

/** After an interruption the next call continues. The old index is kept for a rollback. @throws RebuildError */
export async function rebuildIndex(deps: IndexDeps, progress: Progress): Promise<boolean> {
  return withIndexLock(deps, async (held) => {
    await assertRunning(held);
    await recoverTargets(held);
    await build(held, progress);
  });
}

/** @throws RebuildError if there is no previous index, or if it is retired or incomplete */
export async function rollBack(deps: IndexDeps, progress: Progress): Promise<boolean> {
  return withIndexLock(deps, async (held) => {
    await assertRunning(held);
    await recoverTargets(held);
    const previous = await findTarget(held.database, 'previous');
    if (!previous) throw new RebuildError('there is no previous index');
    assertNotRetired(previous);
    await waitUntilAcknowledged(held, progress);
    await assertComplete(held, previous, progress);
    await swapIndex(held, previous);
  });
}

/** @throws RebuildError if no index has this role */
export async function removeTarget(deps: IndexDeps, role: 'previous' | 'next'): Promise<boolean> {
  return withIndexLock(deps, async (held) => {
    await removeOutdated(held);
    const target = await findTarget(held.database, role);
    if (!target) throw new RebuildError(role === 'previous' ? 'there is no previous index' : 'there is no rebuild to cancel');
    await removeIndex(held, target);
  });
}

function withIndexLock(deps: IndexDeps, work: (held: LockedDeps) => Promise<void>): Promise<boolean> {
  return withLock(deps.database, INDEX_LOCK, (lock) => work({ ...deps, lock, signal: AbortSignal.any([deps.signal, lock.signal]) }));
}

async function assertRunning({ database }: IndexDeps): Promise<void> {
  if (await pausedSince(database)) throw new RebuildError('indexing is paused; run npx pnpm index:resume first');
}

function isHealthy(targets: InspectedTarget[]): boolean {
  return (
    targets.some(({ role, searched }) => role === 'search' && searched) &&
    targets.every(({ intact, writesBlocked }) => intact && !writesBlocked)
  );
}

/**
 * Completes or undoes the swap of a crashed process: the alias decides, unless its index is retired and thus lacks
 * changes. @returns whether an index can be searched
 */
async function recoverTargets(deps: LockedDeps): Promise<boolean> {
  const targets = await inspectTargets(deps);
  const search = targets.find(isUpToDate) ?? targets.find((target) => target.role === 'search' && target.intact);
  for (const target of targets.filter((candidate) => !candidate.intact)) await removeIndex(deps, target);
  if (!search) return false;
  if (!search.searched) await pointAlias(deps, search);
  if (search.role !== 'search') await promote(deps, search);
  for (const target of targets.filter((candidate) => candidate.writesBlocked)) await unblockWrites(deps, target);
  await removeOutdated(deps);
  return true;
}

function isUpToDate({ searched, retiredReason }: InspectedTarget): boolean {
  return searched && retiredReason === null;
}

async function build(deps: LockedDeps, progress: Progress): Promise<void> {
  const next = (await unfinished(deps)) ?? (await createNextIndex(deps));
  deps.log.info({ indexName: next.indexName, afterContentId: next.filledTo }, 'filling a new index');
  await fillIndex(deps, next, progress);
  await assertComplete(deps, next, progress).catch(async (error: unknown) => {
    if (error instanceof RebuildError) await deps.lock.assertHeld();
    if (error instanceof RebuildError) await retireTargets(deps.database, [{ indexName: next.indexName, reason: error.message }]);
    throw error;
  });
  await swapIndex(deps, next);
  await removeOutdated(deps);
  deps.log.info({ indexName: next.indexName }, 'new index is searched');
}

async function unfinished(deps: LockedDeps): Promise<IndexTarget | undefined> {
  const next = await findTarget(deps.database, 'next');
  if (!next) return undefined;
  if (next.mappingVersion > MAPPING_VERSION)
    throw new RebuildError(`a newer version is filling ${next.indexName}; wait for it or run npx pnpm index:rebuild --cancel`);
  if (next.mappingVersion === MAPPING_VERSION && next.retiredReason === null) return next;
  await removeIndex(deps, next);
  return undefined;
}

/** Keeps only the latest previous index, and none with a newer mapping, which this code could not keep up to date. */
async function removeOutdated(deps: LockedDeps): Promise<void> {
  const previous = (await listTargets(deps.database)).filter(({ role }) => role === 'previous');
  const latest = Math.max(...previous.map(({ roleSince }) => roleSince.getTime()));
  for (const target of previous) {
    if (target.roleSince.getTime() < latest || target.mappingVersion > MAPPING_VERSION) await removeIndex(deps, target);
  }
}

// The searched index may hold changes, from the time of the swap, that the previous index lacks. Isolated items are not
// waited for, because they may never be acknowledged; the swap compares them itself.
async function waitUntilAcknowledged({ database, signal }: IndexDeps, progress: Progress): Promise<void> {
  const latest = await latestPendingSince(database);
  const total = await countPendingSince(database, latest);
  for (let waiting = total; waiting > 0; waiting = await countPendingSince(database, latest)) {
    progress('Waiting for pending changes', total - waiting, total);
    await delay(POLL_EVERY_MS, undefined, { signal });
  }
}
