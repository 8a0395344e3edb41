import { isDropped, rejectItem } from '@ugc/shared/outbox/rejected';
import { readState } from '@ugc/shared/outbox/item-states';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { findTarget, retireTargets, type IndexTarget } from '@ugc/shared/indices/targets';
import type { Change } from '../documents/bulk.ts';
import { confirmRejections } from '../documents/confirm-rejections.ts';
import { readRevisions } from '../documents/read-revisions.ts';
import { RebuildError, type IndexDeps } from '../targets/target-indices.ts';

export type Resolved = 'complete' | 'pending' | 'refused';

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
  const confirmed = await confirmRejections(elasticsearch, { indexName, hasData: deps.settings.INDEX_DATA }, [change]);
  if (confirmed.get(contentId)?.outcome !== 'reject') return 'refused';
  log.error({ contentId, reason }, 'Elasticsearch rejected an item');
  await rejectItem(database, { contentId, revision, reason });
  return 'complete';
}

async function hasRevision(elasticsearch: Elasticsearch, indexName: string, { contentId, revision }: Change): Promise<boolean> {
  return ((await readRevisions(elasticsearch, indexName, [contentId])).get(contentId) ?? 0) >= revision;
}
