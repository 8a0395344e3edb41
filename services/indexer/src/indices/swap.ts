import { listUnacknowledgedItems } from '@ugc/shared/outbox/item-states';
import { changeTargets, findTarget, listTargets, setRole, type IndexTarget } from '../targets.ts';
import { blockWrites, indexExists, pointAlias, readRevisions, unblockWrites, type IndexDeps } from './indices.ts';
import { compareIndex, type Difference } from './compare.ts';
import type { Progress } from './fill.ts';
import { forgetIndexedDropped } from './forget-dropped.ts';
import { RebuildError } from './rebuild-error.ts';

/**
 * Makes another target the searched one; the one that was becomes `previous`. No search shows an older state than one before it:
 * while the searched index takes no writes, the other, which always takes them first, holds and shows all that it shows.
 * @throws RebuildFailed when the index is not fit to be searched
 */
export async function swapIndex(deps: IndexDeps, to: IndexTarget): Promise<void> {
  const from = await findTarget(deps.database, 'search');
  try {
    if (from) await blockWrites(deps, from);
    await deps.elasticsearch.indices.refresh({ index: to.indexName });
    await assertSwappable(deps, to);
    if (from) await assertNothingAhead(deps, from, to);
    deps.signal.throwIfAborted();
    await pointAlias(deps, to);
    await promote(deps, to);
  } finally {
    // Should this fail, whoever looks after the indices next takes the fence away.
    if (from)
      await unblockWrites(deps, from).catch((err: unknown) => deps.log.warn({ err }, 'the index that was searched takes no writes yet'));
  }
  await forgetIndexedDropped(deps, to.indexName).catch((err: unknown) => deps.log.warn({ err }, 'some items still count as dropped'));
}

/** Gives the roles to what the alias says already. */
export async function promote({ database }: IndexDeps, { indexName }: IndexTarget): Promise<void> {
  await changeTargets(database, async (tx) => {
    const from = (await listTargets(tx)).find((target) => target.role === 'search');
    if (from) await setRole(tx, from.indexName, 'previous');
    await setRole(tx, indexName, 'search');
  });
}

async function assertSwappable(deps: IndexDeps, { indexName, uuid }: IndexTarget): Promise<void> {
  const now = (await listTargets(deps.database)).find((target) => target.indexName === indexName);
  if (now?.retiredReason !== null) throw new RebuildError(`${indexName} refused a document: ${now?.retiredReason ?? 'it was removed'}`);
  if (now.uuid !== uuid || !(await indexExists(deps, now))) throw new RebuildError(`${indexName} was lost`);
}

/**
 * An item that `to` refused and `from` took a moment ago may not have been reported yet. Then its change is still in the hands of a
 * job, or has come back from one that died.
 */
async function assertNothingAhead({ database, elasticsearch }: IndexDeps, from: IndexTarget, to: IndexTarget): Promise<void> {
  const ids = await listUnacknowledgedItems(database);
  if (ids.length === 0) return;
  const [shown, next] = [await readRevisions(elasticsearch, from.indexName, ids), await readRevisions(elasticsearch, to.indexName, ids)];
  const ahead = ids.find((id) => (shown.get(id) ?? 0) > (next.get(id) ?? 0));
  if (ahead !== undefined) throw new RebuildError(`${to.indexName} lacks a change of item ${ahead} that ${from.indexName} has; try again`);
}

const NAMED_AT_MOST = 5;
const COMPARED_AT_ONCE = 500;

/**
 * Every item that nothing is on its way for must be in the index as PostgreSQL has it. A new index need not have dropped changes; a
 * previous one must have such an item at least as the searched index has it.
 * @throws RebuildFailed, which names some that are not
 */
export async function assertComplete(deps: IndexDeps, { indexName, role }: IndexTarget, progress: Progress): Promise<void> {
  const faults: string[] = [];
  const dropped: Difference[] = [];
  for await (const difference of compareIndex(deps, indexName, progress)) {
    if (difference.difference !== 'dropped') faults.push(`item ${difference.contentId} is ${difference.difference}`);
    else if (role === 'previous') dropped.push(difference);
    if (dropped.length >= COMPARED_AT_ONCE) faults.push(...(await olderThanSearched(deps, dropped.splice(0))));
    faults.splice(NAMED_AT_MOST);
  }
  faults.push(...(await olderThanSearched(deps, dropped)));
  if (faults.length === 0) return;
  throw new RebuildError(`${indexName} differs from PostgreSQL: ${faults.slice(0, NAMED_AT_MOST).join(', ')}`);
}

async function olderThanSearched({ database, elasticsearch }: IndexDeps, dropped: Difference[]): Promise<string[]> {
  const search = await findTarget(database, 'search');
  if (!search || dropped.length === 0) return [];
  const ids = dropped.map(({ contentId }) => contentId);
  const shown = await readRevisions(elasticsearch, search.indexName, ids);
  return dropped
    .filter(({ contentId, indexedRevision }) => (indexedRevision ?? 0) < (shown.get(contentId) ?? 0))
    .map(({ contentId }) => `item ${contentId} is older than in ${search.indexName}`);
}
