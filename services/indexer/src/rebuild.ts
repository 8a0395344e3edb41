import { MAPPING_VERSION } from '@ugc/shared/content-index';
import { pausedSince } from '@ugc/shared/index-pause';
import { findTarget, giveUpTargets, listTargets, type IndexTarget } from '@ugc/shared/index-target';
import {
  createNext,
  findTargets,
  INDEX_LOCK,
  pointAlias,
  removeIndex,
  unfence,
  type FoundTarget,
  type IndexDeps,
} from './concrete-index.ts';
import { fillIndex, type Progress } from './fill-index.ts';
import { RebuildFailed } from './rebuild-failed.ts';
import { assertComplete, promote, swapIndex } from './swap-index.ts';
import { untilAcknowledged } from './until-acknowledged.ts';

/**
 * Makes sure that there is an index to search. The first start and a lost Elasticsearch volume are the same case: an index is
 * made and filled from PostgreSQL, and until the alias stands lists answer 500 rather than a short page.
 * @returns false when another process is at it
 * @throws RebuildFailed; the next call starts over
 */
export async function ensureIndex(deps: IndexDeps, progress: Progress): Promise<boolean> {
  if (isInOrder(await findTargets(deps))) return true;
  return holdingTheLock(deps, async (held) => {
    if (!(await putInOrder(held))) await build(held, progress);
  });
}

/**
 * Fills a new index from PostgreSQL while the old one is searched, checks it and swaps them. Stopped, it goes on where it was with
 * the next call. The old index is kept, and written to, for a way back until `finish`.
 * @returns false when another process is at it
 * @throws RebuildFailed; the old index is searched as before
 */
export async function rebuildIndex(deps: IndexDeps, progress: Progress): Promise<boolean> {
  return holdingTheLock(deps, async (held) => {
    await assertRunning(held);
    await putInOrder(held);
    await build(held, progress);
  });
}

/**
 * Makes the previous index the searched one again, once it has everything.
 * @returns false when another process is at it
 * @throws RebuildFailed when there is no way back
 */
export async function rollBack(deps: IndexDeps, progress: Progress): Promise<boolean> {
  return holdingTheLock(deps, async (held) => {
    await assertRunning(held);
    await putInOrder(held);
    const previous = await findTarget(held.database, 'previous');
    if (!previous) throw new RebuildFailed('there is no previous index');
    if (previous.rejectedReason !== null)
      throw new RebuildFailed(`${previous.indexName} refused a document and is written no more: ${previous.rejectedReason}`);
    await untilAcknowledged(held, progress);
    await assertComplete(held, previous, progress);
    await swapIndex(held, previous);
  });
}

/**
 * Removes the previous index: there is no way back then. Or an index that is being filled: the rebuild is given up.
 * @returns false when another process is at it
 */
export async function removeTarget(deps: IndexDeps, role: 'previous' | 'next'): Promise<boolean> {
  return holdingTheLock(deps, async (held) => {
    await removeOutdated(held);
    const target = await findTarget(held.database, role);
    if (!target) throw new RebuildFailed(role === 'previous' ? 'there is no previous index' : 'no rebuild is under way');
    await removeIndex(held, target);
  });
}

function holdingTheLock(deps: IndexDeps, work: (held: IndexDeps) => Promise<void>): Promise<boolean> {
  return deps.database.exclusively(INDEX_LOCK, (lockLost) => work({ ...deps, signal: AbortSignal.any([deps.signal, lockLost]) }));
}

async function assertRunning({ database }: IndexDeps): Promise<void> {
  if (await pausedSince(database)) throw new RebuildFailed('indexing is paused; npx pnpm index:resume comes first');
}

function isInOrder(targets: FoundTarget[]): boolean {
  return targets.some(({ role, searched }) => role === 'search' && searched) && targets.every(({ whole, fenced }) => whole && !fenced);
}

/**
 * Finishes what a process that died in the middle of a swap has left, and forgets indices that are lost. Where two speak, the alias
 * is right.
 * @returns whether an index is searched now
 */
async function putInOrder(deps: IndexDeps): Promise<boolean> {
  const targets = await findTargets(deps);
  const search = targets.find((target) => target.searched) ?? targets.find((target) => target.role === 'search' && target.whole);
  for (const target of targets.filter((candidate) => !candidate.whole)) await removeIndex(deps, target);
  if (!search) return false;
  if (!search.searched) await pointAlias(deps, search);
  if (search.role !== 'search') await promote(deps, search);
  for (const target of targets.filter((candidate) => candidate.fenced)) await unfence(deps, target);
  await removeOutdated(deps);
  return true;
}

async function build(deps: IndexDeps, progress: Progress): Promise<void> {
  const next = (await unfinished(deps)) ?? (await createNext(deps));
  deps.log.info({ index: next.indexName, after: next.filledTo }, 'filling a new index from PostgreSQL');
  await fillIndex(deps, next, progress);
  await assertComplete(deps, next, progress).catch(async (error: unknown) => {
    if (error instanceof RebuildFailed) await giveUpTargets(deps.database, [{ indexName: next.indexName, reason: error.message }]);
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
  if (next.mappingVersion > MAPPING_VERSION) throw new RebuildFailed(`newer code is filling ${next.indexName}; it, or --cancel, ends that`);
  if (next.mappingVersion === MAPPING_VERSION && next.rejectedReason === null) return next;
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
