import { isDropped } from '@ugc/shared/outbox/dropped';
import { readState } from '@ugc/shared/outbox/item-states';
import { rejectItem } from '@ugc/shared/outbox/reject';
import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import { findTarget, retireTargets, type IndexTarget } from '../targets.ts';
import type { Change } from '../documents/bulk.ts';
import { readRevisions, type IndexDeps } from './indices.ts';
import { RebuildError } from './rebuild-error.ts';

/**
 * What becomes of an item that an index which is being filled refuses: whose fault that is is for the searched index to say.
 * @returns false while the item is on its way to that
 * @throws RebuildFailed when the searched index has what this one refuses
 */
export async function resolveRejection(deps: IndexDeps, { indexName }: IndexTarget, change: Change, why: string): Promise<boolean> {
  const { database, elasticsearch, log } = deps;
  const { contentId, revision } = change;
  const search = await findTarget(database, 'search');
  const state = await readState(database, contentId, revision);
  if (state === 'rejected') return true;
  if (search && state === 'pending') return false;
  // Its next change has been written meanwhile.
  if (await hasRevision(elasticsearch, indexName, change)) return true;
  if (search && (await hasRevision(elasticsearch, search.indexName, change))) {
    const reason = `item ${contentId}: ${why}`;
    await retireTargets(database, [{ indexName, reason }]);
    throw new RebuildError(`${indexName} refuses ${reason}`);
  }
  if (await isDropped(database, contentId, revision)) return true;
  log.error({ contentId, reason: why }, 'Elasticsearch rejects this item');
  await rejectItem(database, { contentId, revision, reason: why });
  return true;
}

async function hasRevision(elasticsearch: Elasticsearch, indexName: string, { contentId, revision }: Change): Promise<boolean> {
  return ((await readRevisions(elasticsearch, indexName, [contentId])).get(contentId) ?? 0) >= revision;
}
