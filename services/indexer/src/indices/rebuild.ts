import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { pausedSince } from './pause.ts';
import { findTarget, retireTargets, listTargets, type IndexTarget } from '../targets.ts';
import {
  createNextIndex,
  inspectTargets,
  INDEX_LOCK,
  pointAlias,
  removeIndex,
  unblockWrites,
  type InspectedTarget,
  type IndexDeps,
} from './indices.ts';
import { fillIndex, type Progress } from './fill.ts';
import { RebuildError } from './rebuild-error.ts';
import { assertComplete, promote, swapIndex } from './swap.ts';
import { waitUntilAcknowledged } from './wait-until-acknowledged.ts';

/**
 * Makes sure that there is an index to search. The first start and a lost Elasticsearch volume are the same case: an index is
 * made and filled from PostgreSQL, and until the alias stands lists answer 500 rather than a short page.
 * @returns false when another process is at it
 * @throws RebuildFailed; the next call starts over
 */
export async function ensureIndex(deps: IndexDeps, progress: Progress): Promise<boolean> {
  if (isHealthy(await inspectTargets(deps))) return true;
  return withIndexLock(deps, async (held) => {
    if (!(await recoverTargets(held))) await build(held, progress);
  });
}

/**
 * Fills a new index from PostgreSQL while the old one is searched, checks it and swaps them. Stopped, it goes on where it was with
 * the next call. The old index is kept, and written to, for a way back until `finish`.
 * @returns false when another process is at it
 * @throws RebuildFailed; the old index is searched as before
 */
export async function rebuildIndex(deps: IndexDeps, progress: Progress): Promise<boolean> {
  return withIndexLock(deps, async (held) => {
    await assertRunning(held);
    await recoverTargets(held);
    await build(held, progress);
  });
}

/**
 * Makes the previous index the searched one again, once it has everything.
 * @returns false when another process is at it
 * @throws RebuildFailed when there is no way back
 */
export async function rollBack(deps: IndexDeps, progress: Progress): Promise<boolean> {
  return withIndexLock(deps, async (held) => {
    await assertRunning(held);
    await recoverTargets(held);
    const previous = await findTarget(held.database, 'previous');
    if (!previous) throw new RebuildError('there is no previous index');
    if (previous.retiredReason !== null)
      throw new RebuildError(`${previous.indexName} refused a document and is written no more: ${previous.retiredReason}`);
    await waitUntilAcknowledged(held, progress);
    await assertComplete(held, previous, progress);
    await swapIndex(held, previous);
  });
}

/**
 * Removes the previous index: there is no way back then. Or an index that is being filled: the rebuild is given up.
 * @returns false when another process is at it
 */
export async function removeTarget(deps: IndexDeps, role: 'previous' | 'next'): Promise<boolean> {
  return withIndexLock(deps, async (held) => {
    await removeOutdated(held);
    const target = await findTarget(held.database, role);
    if (!target) throw new RebuildError(role === 'previous' ? 'there is no previous index' : 'no rebuild is under way');
    await removeIndex(held, target);
  });
}

function withIndexLock(deps: IndexDeps, work: (held: IndexDeps) => Promise<void>): Promise<boolean> {
  return deps.database.withLock(INDEX_LOCK, (lockLost) => work({ ...deps, signal: AbortSignal.any([deps.signal, lockLost]) }));
}

async function assertRunning({ database }: IndexDeps): Promise<void> {
  if (await pausedSince(database)) throw new RebuildError('indexing is paused; npx pnpm index:resume comes first');
}

function isHealthy(targets: InspectedTarget[]): boolean {
  return (
    targets.some(({ role, searched }) => role === 'search' && searched) &&
    targets.every(({ intact, writesBlocked }) => intact && !writesBlocked)
  );
}

/**
 * Finishes what a process that died in the middle of a swap has left, and forgets indices that are lost. Where two speak, the alias
 * is right.
 * @returns whether an index is searched now
 */
async function recoverTargets(deps: IndexDeps): Promise<boolean> {
  const targets = await inspectTargets(deps);
  const search = targets.find((target) => target.searched) ?? targets.find((target) => target.role === 'search' && target.intact);
  for (const target of targets.filter((candidate) => !candidate.intact)) await removeIndex(deps, target);
  if (!search) return false;
  if (!search.searched) await pointAlias(deps, search);
  if (search.role !== 'search') await promote(deps, search);
  for (const target of targets.filter((candidate) => candidate.writesBlocked)) await unblockWrites(deps, target);
  await removeOutdated(deps);
  return true;
}

async function build(deps: IndexDeps, progress: Progress): Promise<void> {
  const next = (await unfinished(deps)) ?? (await createNextIndex(deps));
  deps.log.info({ index: next.indexName, after: next.filledTo }, 'filling a new index from PostgreSQL');
  await fillIndex(deps, next, progress);
  await assertComplete(deps, next, progress).catch(async (error: unknown) => {
    if (error instanceof RebuildError) await retireTargets(deps.database, [{ indexName: next.indexName, reason: error.message }]);
    throw error;
  });
  await swapIndex(deps, next);
  await removeOutdated(deps);
  deps.log.info({ index: next.indexName }, 'the new index is searched');
}

/** What an earlier rebuild has left, if it is worth going on with. */
async function unfinished(deps: IndexDeps): Promise<IndexTarget | undefined> {
  const next = await findTarget(deps.database, 'next');
  if (!next) return undefined;
  if (next.mappingVersion > MAPPING_VERSION) throw new RebuildError(`newer code is filling ${next.indexName}; it, or --cancel, ends that`);
  if (next.mappingVersion === MAPPING_VERSION && next.retiredReason === null) return next;
  await removeIndex(deps, next);
  return undefined;
}

/** There is one way back at a time, and none to an index that nothing of what this code writes could keep up to date. */
async function removeOutdated(deps: IndexDeps): Promise<void> {
  const previous = (await listTargets(deps.database)).filter(({ role }) => role === 'previous');
  const latest = Math.max(...previous.map(({ roleSince }) => roleSince.getTime()));
  for (const target of previous) {
    if (target.roleSince.getTime() < latest || target.mappingVersion > MAPPING_VERSION) await removeIndex(deps, target);
  }
}
