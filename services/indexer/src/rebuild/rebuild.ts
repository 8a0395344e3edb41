import { fromStored, needsRebuild } from '@ugc/fields/definition';
import { readDeclaredFields } from '@ugc/shared/fields/declared-fields';
import { settingsForSearch } from '@ugc/shared/contracts/index-settings';
import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { countPendingSince, latestPendingSince } from '@ugc/shared/outbox/backlog';
import { readIndexStates } from '@ugc/shared/indices/read-index-states';
import { inspectIndices, isHealthy } from '@ugc/shared/ownership/inspect-indices';
import { setTimeout as delay } from 'node:timers/promises';
import { pausedSince } from '@ugc/shared/indices/index-control';
import { findTarget, forgetOldWriteBlocks, retireTargets, type IndexTarget } from '@ugc/shared/indices/targets';
import { createNextIndex } from './create-index.ts';
import { fillIndex } from './fill.ts';
import {
  assertNotRetired,
  RebuildError,
  removeIndex,
  withIndexLock,
  type Progress,
  type IndexDeps,
  type LockedDeps,
} from '../targets/target-indices.ts';
import { recoverTargets, removeOutdated } from '../targets/recover-targets.ts';
import { assertComplete, swapIndex } from './swap.ts';

const POLL_EVERY_MS = 200;

/**
 * Creates and fills an index at the first start, and after the loss of Elasticsearch's data. The alias is set at the
 * end: until then lists fail instead of being incomplete.
 * @returns false, like the functions below, if another process holds the index lock
 * @throws RebuildError
 */
export async function ensureIndex(deps: IndexDeps, progress: Progress): Promise<boolean> {
  const inspection = await inspectIndices(deps);
  if (isHealthy(inspection, deps.alias) && !(await lacksFieldsOfNothing(deps))) {
    if (inspection.targets.some((target) => target.blockedBySwap)) await forgetOldWriteBlocks(deps.database);
    return true;
  }
  return withIndexLock(deps, async (held) => {
    if (!(await recoverTargets(held)) || (await lacksFieldsOfNothing(held))) await build(held, progress);
  });
}

/**
 * Whether the searched index was made without the declared fields, and there are no items. Whoever declares fields before
 * the first upload needs no rebuild.
 */
async function lacksFieldsOfNothing({ database, alias }: Pick<IndexDeps, 'database' | 'alias'>): Promise<boolean> {
  const search = await findTarget({ database, alias }, 'search');
  if (!search || !needsRebuild(await readDeclaredFields(database), fromStored(search.fields))) return false;
  return (await database.query('select 1 from content limit 1')).length === 0;
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
    const previous = await findTarget(held, 'previous');
    if (!previous) throw new RebuildError('there is no previous index');
    assertNotRetired(previous);
    await waitUntilAcknowledged(held, progress);
    await assertComplete(held, previous, progress);
    await swapIndex(held, previous);
  });
}

async function assertRunning({ database }: IndexDeps): Promise<void> {
  if (await pausedSince(database)) throw new RebuildError('indexing is paused; run npx pnpm index:resume first');
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
  await applySettings(deps, next, progress);
  await swapIndex(deps, next);
  await removeOutdated(deps).catch((err: unknown) =>
    deps.log.warn({ err }, 'could not remove an index that is no longer needed; the next rebuild removes it'),
  );
  deps.log.info({ indexName: next.indexName }, 'new index is searched');
}

async function unfinished(deps: LockedDeps): Promise<IndexTarget | undefined> {
  const next = await findTarget(deps, 'next');
  if (!next) return undefined;
  if (next.mappingVersion > MAPPING_VERSION)
    throw new RebuildError(`a newer version is filling ${next.indexName}; wait for it or run npx pnpm index:rebuild --cancel`);
  const isCurrent = next.mappingVersion === MAPPING_VERSION && next.retiredReason === null;
  if (isCurrent && (await hasSettings(deps, next)) && (await hasFields(deps, next))) return next;
  await removeIndex(deps, next);
  return undefined;
}

/** What cannot be applied to a filled index may have been changed since the rebuild was stopped. */
async function hasSettings({ elasticsearch, settings }: IndexDeps, { indexName }: IndexTarget): Promise<boolean> {
  const state = (await readIndexStates(elasticsearch, { names: [indexName] })).get(indexName);
  return state?.settings.shards === settings.INDEX_SHARDS && state.settings.data === settings.INDEX_DATA;
}

async function hasFields({ database }: IndexDeps, next: IndexTarget): Promise<boolean> {
  const [declared, built] = [await readDeclaredFields(database), fromStored(next.fields)];
  return !needsRebuild(declared, built) && !needsRebuild(built, declared);
}

// The searched index may hold changes, from the time of the swap, that the previous index lacks. Isolated items are not
// waited for, because they may never be acknowledged; the swap compares them itself. Neither are changes that no job can
// write now: the indexers need the index lock to bring the indices in order.
async function waitUntilAcknowledged(deps: IndexDeps, progress: Progress): Promise<void> {
  const { database, signal } = deps;
  const latest = await latestPendingSince(database);
  const total = await countPendingSince(database, latest);
  for (let waiting = total; waiting > 0; waiting = await countPendingSince(database, latest)) {
    progress('Waiting for pending changes', total - waiting, total);
    await assertRunning(deps);
    if (!isHealthy(await inspectIndices(deps), deps.alias))
      throw new RebuildError('the indices have changed, so that no change is written to all of them; try again in a minute');
    await delay(POLL_EVERY_MS, undefined, { signal });
  }
}

/**
 * Applies what the fill did without. Waits until the replicas are copied for which there is a node. Others stay
 * unassigned, and do not hold up the swap.
 */
async function applySettings(deps: LockedDeps, { indexName }: IndexTarget, progress: Progress): Promise<void> {
  const { elasticsearch, settings, lock, signal } = deps;
  await lock.assertHeld();
  await elasticsearch.indices.putSettings({ index: indexName, settings: settingsForSearch(settings) });
  for (;;) {
    const { active_shards: active, initializing_shards: initializing } = await elasticsearch.cluster.health({ index: indexName });
    if (initializing === 0) return;
    progress('Adding replicas', active, active + initializing);
    await delay(POLL_EVERY_MS, undefined, { signal });
  }
}
