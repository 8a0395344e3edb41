import { pausedSince } from '@ugc/shared/indices/index-control';
import type { IndexTarget } from '@ugc/shared/indices/targets';
import { isConflict, type Change } from '../documents/bulk.ts';
import { indexExists, readWritableTarget, RebuildError, type IndexDeps } from '../targets/target-indices.ts';
import type { FillAttempts } from './fill-attempts.ts';
import { Backoff } from '../documents/backoff.ts';
import { resolveConflicts, type Conflict } from '../restore/resolve-conflicts.ts';
import { resolveRejection } from './resolve-rejection.ts';
import { writeChanges, type WriteResults } from '../documents/write-changes.ts';

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

async function assertWritable(deps: IndexDeps, { indexName }: IndexTarget): Promise<void> {
  deps.signal.throwIfAborted();
  if (await pausedSince(deps.database))
    throw new RebuildError(`indexing was paused; the fill of ${indexName} can continue after index:resume`);
  await readWritableTarget(deps, indexName);
}
