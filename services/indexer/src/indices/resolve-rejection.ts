import { isDropped } from '@ugc/shared/outbox/dropped';
import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import { findTarget, retireTargets, type IndexTarget } from '../targets.ts';
import type { Database } from '@ugc/shared/stores/postgres';
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
  const standing = await standingOf(database, change);
  if (standing === 'rejected') return true;
  if (search && standing === 'pending') return false;
  // Its next change has been written meanwhile.
  if (await hasRevision(elasticsearch, indexName, change)) return true;
  if (search && (await hasRevision(elasticsearch, search.indexName, change))) {
    const reason = `item ${contentId}: ${why}`;
    await retireTargets(database, [{ indexName, reason }]);
    throw new RebuildError(`${indexName} refuses ${reason}`);
  }
  if (await isDropped(database, contentId, revision)) return true;
  log.error({ contentId, reason: why }, 'Elasticsearch rejects this item');
  await reject(database, change, why);
  return true;
}

async function hasRevision(elasticsearch: Elasticsearch, indexName: string, { contentId, revision }: Change): Promise<boolean> {
  return ((await readRevisions(elasticsearch, indexName, [contentId])).get(contentId) ?? 0) >= revision;
}

async function standingOf(database: Database, { contentId, revision }: Change): Promise<'rejected' | 'pending' | 'settled'> {
  const [row] = await database.query<{ rejected: boolean }>(
    `select rejected_reason is not null and revision >= $2 as rejected from index_outbox where content_id = $1`,
    [contentId, revision],
  );
  if (!row) return 'settled';
  return row.rejected ? 'rejected' : 'pending';
}

async function reject(database: Database, { contentId, revision }: Change, reason: string): Promise<void> {
  await database.query(
    `insert into index_outbox as o (content_id, revision, rejected_reason)
     select content_id, revision, $3 from content where content_id = $1 and revision = $2
     on conflict (content_id) do update
     set rejected_reason = excluded.rejected_reason, job_id = null, claimed_at = null where o.revision <= excluded.revision`,
    [contentId, revision, reason],
  );
}
