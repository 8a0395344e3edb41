import { pausedSince } from '@ugc/shared/indices/index-control';
import { type IndexTarget, findTarget, retireTargets } from '@ugc/shared/indices/targets';
import { isConflict, type Change } from '../documents/bulk.ts';
import { indexExists, readWritableTarget, RebuildError, type IndexDeps } from '../targets/target-indices.ts';
import type { FillAttempts } from './fill-attempts.ts';
import { Backoff } from '../documents/backoff.ts';
import { resolveConflicts, type Conflict } from '../conflicts/resolve-conflicts.ts';
import { writeChanges, type WriteResults, confirmRejections } from '../documents/write-changes.ts';
import { isDropped, rejectItem } from '@ugc/shared/outbox/rejected';
import { readState } from '@ugc/shared/outbox/item-states';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { readRevisions } from '../documents/read-revisions.ts';

type Batch = { changes: Change[]; attempts: FillAttempts; onRetry: () => Promise<void> };

/** Retries without a limit. @throws RebuildError if the index was retired, removed or lost, or if indexing is paused */
export async function fillBatch(deps: IndexDeps, index: IndexTarget, { changes, attempts, onRetry }: Batch): Promise<void> {
  const backoff = new Backoff();
  for (let remaining = changes; remaining.length > 0; await attempts.begin()) {
    await assertWritable(deps, index);
    const results = await writeChanges(deps.elasticsearch, index.indexName, remaining);
    remaining = await unwritten(deps, index, remaining, results);
    if (remaining.length === 0) return;
    logRetry(deps, index, remaining, results);
    await onRetry();
    await attempts.undo();
    backoff.failed();
    await backoff.wait(deps.signal);
    // A failed request says nothing about the index.
    if (!(await indexExists(deps, index).catch(() => true))) throw new RebuildError(`${index.indexName} was lost while it was filled`);
  }
}

function logRetry({ log }: IndexDeps, { indexName }: IndexTarget, remaining: Change[], results: WriteResults): void {
  const result = results.get(remaining[0]?.contentId ?? 0);
  const reason = result && 'reason' in result ? result.reason : undefined;
  log.warn({ indexName, itemCount: remaining.length, reason }, 'items were not written to the new index and will be retried');
}

async function unwritten(deps: IndexDeps, index: IndexTarget, changes: Change[], results: WriteResults): Promise<Change[]> {
  const remaining: Change[] = [];
  // Items that are ahead get a newer revision, which a job writes.
  await resolveConflicts(deps, conflictsIn(changes, results, index));
  let isRefusing = false;
  for (const change of changes) {
    const result = results.get(change.contentId);
    if (result?.outcome === 'done') continue;
    const resolved = result?.outcome === 'reject' && !isRefusing ? await resolveRejection(deps, index, change, result.reason) : 'pending';
    if (resolved === 'refused') isRefusing = true;
    if (resolved !== 'complete') remaining.push(change);
  }
  return remaining;
}

function conflictsIn(changes: Change[], results: WriteResults, { indexName }: IndexTarget): Conflict[] {
  const conflicting = changes.filter(({ contentId }) => isConflict(results.get(contentId)));
  return conflicting.map(({ contentId, revision }) => ({ contentId, revision, isDeletion: false, indexNames: [indexName] }));
}

async function assertWritable(deps: IndexDeps, index: IndexTarget): Promise<void> {
  deps.signal.throwIfAborted();
  if (await pausedSince(deps.database))
    throw new RebuildError(`indexing was paused; the fill of ${index.indexName} can continue after index:resume`);
  await readWritableTarget(deps, index);
}

type Resolved = 'complete' | 'pending' | 'refused';

/**
 * Rejects an item that an index rejects while it is filled. If the searched index holds the item, the new index is at
 * fault and is retired instead.
 * @returns `pending`: the job of the item's change decides · `refused`: the index accepts no item now
 * @throws RebuildError if the index is retired
 */
export async function resolveRejection(deps: IndexDeps, { indexName }: IndexTarget, change: Change, reason: string): Promise<Resolved> {
  const { database, elasticsearch, log } = deps;
  const { contentId, revision } = change;
  const search = await findTarget(deps, 'search');
  const state = await readState(database, contentId, revision);
  if (state === 'rejected') return 'complete';
  if (search && state === 'pending') return 'pending';
  // A job may have written a later change of the item.
  if (await hasRevision(elasticsearch, indexName, change)) return 'complete';
  if (search && (await hasRevision(elasticsearch, search.indexName, change))) {
    await retireTargets(database, [{ indexName, reason: `item ${contentId}: ${reason}` }]);
    throw new RebuildError(`${indexName} was retired because it rejected item ${contentId}: ${reason}`);
  }
  if (await isDropped(database, contentId, revision)) return 'complete';
  const confirmed = await confirmRejections(elasticsearch, indexName, [change]);
  if (confirmed.get(contentId)?.outcome !== 'reject') return 'refused';
  log.error({ contentId, reason }, 'Elasticsearch rejected an item');
  await rejectItem(database, { contentId, revision, reason });
  return 'complete';
}

async function hasRevision(elasticsearch: Elasticsearch, indexName: string, { contentId, revision }: Change): Promise<boolean> {
  return ((await readRevisions(elasticsearch, indexName, [contentId])).get(contentId) ?? 0) >= revision;
}
