import { pausedSince } from './pause.ts';
import { listTargets, type IndexTarget } from '../targets.ts';
import type { Change } from '../documents/bulk.ts';
import { indexExists, type IndexDeps } from './indices.ts';
import type { FillAttempts } from './fill-attempts.ts';
import { Backoff } from '../documents/backoff.ts';
import { RebuildError } from './rebuild-error.ts';
import { resolveRejection } from './resolve-rejection.ts';
import { writeChanges, type Outcomes } from '../documents/write-changes.ts';

type Batch = { changes: Change[]; attempts: FillAttempts; stillAtIt: () => void };

/**
 * Writes a batch to an index that is being filled, until everything in it is taken or rejected. Each round is an attempt of its own.
 * @throws RebuildFailed when the index is to be filled no more
 */
export async function fillBatch(deps: IndexDeps, index: IndexTarget, { changes, attempts, stillAtIt }: Batch): Promise<void> {
  const backoff = new Backoff();
  for (let remaining = changes; remaining.length > 0; await attempts.begin()) {
    await assertWanted(deps, index);
    const outcomes = await writeChanges(deps.elasticsearch, index.indexName, remaining);
    remaining = await unsettled(deps, index, remaining, outcomes);
    if (remaining.length === 0) return;
    deps.log.warn({ index: index.indexName, outcome: outcomes.get(remaining[0]?.contentId ?? 0) }, 'filling waits');
    stillAtIt();
    await attempts.ended();
    backoff.failed();
    await backoff.wait(deps.signal);
    // No answer says nothing; an answer without the index says that it is gone.
    if (!(await indexExists(deps, index).catch(() => true))) throw new RebuildError(`${index.indexName} was lost while it was filled`);
  }
}

async function unsettled(deps: IndexDeps, index: IndexTarget, changes: Change[], outcomes: Outcomes): Promise<Change[]> {
  const left: Change[] = [];
  for (const change of changes) {
    const outcome = outcomes.get(change.contentId);
    const settled =
      outcome?.kind === 'rejected' ? await resolveRejection(deps, index, change, outcome.reason) : outcome?.kind === 'written';
    if (!settled) left.push(change);
  }
  return left;
}

async function assertWanted({ database, signal }: IndexDeps, { indexName }: IndexTarget): Promise<void> {
  signal.throwIfAborted();
  if (await pausedSince(database)) throw new RebuildError(`indexing was paused; ${indexName} is filled on after index:resume`);
  const target = (await listTargets(database)).find((listed) => listed.indexName === indexName);
  if (target?.retiredReason !== null)
    throw new RebuildError(`${indexName} refused a document: ${target?.retiredReason ?? 'it was removed'}`);
}
