import { errors } from '@elastic/elasticsearch';
import { listTargets } from '@ugc/shared/index-target';
import type { Database } from '@ugc/shared/postgres';
import type { RebuildDeps } from './fill-index.ts';

/** Far longer than any job can be under way. */
const TOMBSTONES_KEPT_FOR = `interval '7 days'`;
const KEYS_KEPT_FOR = `interval '24 hours'`;
const BATCH = 500;

type PurgeDeps = Pick<RebuildDeps, 'database' | 'elasticsearch'>;
type DeletedItem = { content_id: number; revision: number };

/**
 * Removes what nobody needs any more: tombstones, from every index before PostgreSQL, and old idempotency keys.
 * To be called under the lock of rebuilds: a rebuild that has read a tombstone would write it again.
 */
export async function purge(deps: PurgeDeps): Promise<void> {
  await deps.database.query(`delete from idempotency_key where created_at < now() - ${KEYS_KEPT_FOR}`);
  for (let items = await listPurgeable(deps.database); items.length > 0; items = await listPurgeable(deps.database)) {
    for (const { indexName } of await listTargets(deps.database)) await removeDocuments(deps, indexName, items);
    await deps.database.query(`delete from content where content_id = any($1::bigint[])`, [items.map((item) => item.content_id)]);
  }
}

function listPurgeable(database: Database): Promise<DeletedItem[]> {
  return database.query<DeletedItem>(
    `select content_id, revision from content
     where deleted_at < now() - ${TOMBSTONES_KEPT_FOR}
       and not exists (select from index_outbox o where o.content_id = content.content_id)
     order by content_id limit ${BATCH}`,
  );
}

async function removeDocuments({ elasticsearch }: PurgeDeps, indexName: string, items: DeletedItem[]): Promise<void> {
  const operations = items.map((item) => ({
    delete: { _id: String(item.content_id), version: item.revision, version_type: 'external_gte' as const },
  }));
  const { items: answers } = await elasticsearch.bulk({ index: indexName, operations });
  const failed = answers.find(({ delete: answer }) => answer && answer.status >= 300 && answer.status !== 404);
  if (failed)
    throw new errors.ElasticsearchClientError(`a tombstone could not be removed: ${failed.delete?.error?.type ?? 'no reason given'}`);
}
