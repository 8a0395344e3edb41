import { forgetDropped, listDropped } from '@ugc/shared/outbox/rejected';
import { listUnacknowledgedItems, type UnacknowledgedItem } from '@ugc/shared/outbox/item-states';
import { refreshIndex } from '@ugc/shared/indices/searched-index';
import { readIndexStates } from '@ugc/shared/indices/read-index-states';
import { findTarget, forgetWriteBlock, type IndexTarget } from '@ugc/shared/indices/targets';
import {
  blockWrites,
  indexExists,
  promote,
  readWritableTarget,
  RebuildError,
  unblockWrites,
  type IndexDeps,
  type LockedDeps,
  type Progress,
} from '../targets/target-indices.ts';
import { readRevisions } from '../documents/read-revisions.ts';
import { compareIndex, type Difference } from '../comparison/compare.ts';
import { pointAlias } from '../targets/point-alias.ts';

/**
 * No search shows an older state than an earlier search: changes are written to the searched index last, so while it
 * has a write block the other index holds everything it shows.
 * @throws RebuildError if the other index is retired, lost or lacks a change
 */
export async function swapIndex(deps: LockedDeps, to: IndexTarget): Promise<void> {
  const from = await findTarget(deps, 'search');
  const isBlocked = from !== undefined && (await hasWriteBlock(deps, from));
  try {
    if (from && !isBlocked) await blockWrites(deps, from);
    await refreshIndex(deps.elasticsearch, to.indexName);
    await assertSwappable(deps, to);
    if (from) await assertNothingAhead(deps, from, to);
    deps.signal.throwIfAborted();
    await pointAlias(deps, to);
    await promote(deps, to);
  } finally {
    // If this fails, the next pass of maintain-index.ts removes the block.
    if (from && !isBlocked)
      await endBlock(deps, from).catch((err: unknown) =>
        deps.log.warn({ err, indexName: from.indexName }, 'could not remove the write block of the previous index'),
      );
  }
  await forgetIndexedDropped(deps, to.indexName).catch((err: unknown) =>
    deps.log.warn({ err }, 'could not forget dropped changes that are indexed now'),
  );
}

/** An operator has set it, and it stays. Nothing is written meanwhile. */
async function hasWriteBlock({ elasticsearch }: IndexDeps, { indexName }: IndexTarget): Promise<boolean> {
  return (await readIndexStates(elasticsearch, { names: [indexName] })).get(indexName)?.writesBlocked === true;
}

async function endBlock(deps: LockedDeps, from: IndexTarget): Promise<void> {
  await unblockWrites(deps, from);
  await forgetWriteBlock(deps.database, from.indexName);
}

async function assertSwappable(deps: IndexDeps, to: IndexTarget): Promise<void> {
  const now = await readWritableTarget(deps, to);
  if (now.uuid !== to.uuid || !(await indexExists(deps, now))) throw new RebuildError(`${to.indexName} was lost`);
}

const BATCH = 500;

/** A job may have written a change to `from` that `to` rejected, and not have retired `to` yet, or have crashed. */
async function assertNothingAhead({ database, elasticsearch }: IndexDeps, from: IndexTarget, to: IndexTarget): Promise<void> {
  for (let items = await listUnacknowledgedItems(database, 0, BATCH); items.length > 0;) {
    const ids = items.map(({ contentId }) => contentId);
    const [shown, next] = [await readRevisions(elasticsearch, from.indexName, ids), await readRevisions(elasticsearch, to.indexName, ids)];
    const ahead = items.find(({ contentId: id }) => (shown.get(id) ?? 0) > (next.get(id) ?? 0));
    if (ahead) throw new RebuildError(describeAhead(ahead, from, to));
    items = await listUnacknowledgedItems(database, ids.at(-1) ?? 0, BATCH);
  }
}

function describeAhead({ contentId, isolated }: UnacknowledgedItem, from: IndexTarget, to: IndexTarget): string {
  const todo = isolated ? `its jobs end without a result: see the indexers' logs, edit or delete the item, then try again` : 'try again';
  return `${to.indexName} lacks a change of item ${contentId} that ${from.indexName} has; ${todo}`;
}

const MAX_NAMED = 5;

/**
 * Dropped changes may be missing, but a previous index must not hold an older revision than the searched index.
 * @throws RebuildError that names up to five items
 */
export async function assertComplete(deps: IndexDeps, { indexName, role }: IndexTarget, progress: Progress): Promise<void> {
  const faults: string[] = [];
  const dropped: Difference[] = [];
  for await (const difference of compareIndex(deps, indexName, progress)) {
    if (difference.difference !== 'dropped') faults.push(`item ${difference.contentId} is ${difference.difference}`);
    else if (role === 'previous') dropped.push(difference);
    if (dropped.length >= BATCH) faults.push(...(await olderThanSearched(deps, dropped.splice(0))));
    faults.splice(MAX_NAMED);
  }
  faults.push(...(await olderThanSearched(deps, dropped)));
  if (faults.length === 0) return;
  throw new RebuildError(`${indexName} differs from PostgreSQL: ${faults.slice(0, MAX_NAMED).join(', ')}`);
}

async function olderThanSearched(deps: IndexDeps, dropped: Difference[]): Promise<string[]> {
  const search = await findTarget(deps, 'search');
  if (!search || dropped.length === 0) return [];
  const ids = dropped.map(({ contentId }) => contentId);
  const shown = await readRevisions(deps.elasticsearch, search.indexName, ids);
  return dropped
    .filter(({ contentId, indexedRevision }) => (indexedRevision ?? 0) < (shown.get(contentId) ?? 0))
    .map(({ contentId }) => `item ${contentId} is older than in ${search.indexName}`);
}

/** Forgets dropped changes that the newly searched index holds: only the previous index had rejected them. */
async function forgetIndexedDropped({ database, elasticsearch }: IndexDeps, indexName: string): Promise<void> {
  for (let batch = await listDropped(database, 0, BATCH); batch.length > 0;) {
    const ids = batch.map((item) => item.contentId);
    const indexed = await readRevisions(elasticsearch, indexName, ids);
    const held = batch.filter(({ contentId: id, revision }) => (indexed.get(id) ?? 0) >= revision);
    if (held.length > 0) await forgetDropped(database, held);
    batch = await listDropped(database, ids.at(-1) ?? 0, BATCH);
  }
}
