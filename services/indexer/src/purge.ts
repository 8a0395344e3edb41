import { pausedSince } from '@ugc/shared/index-pause';
import { listTargets } from '@ugc/shared/index-target';
import type { Database } from '@ugc/shared/postgres';
import { IDEMPOTENCY_KEYS_KEPT_FOR, TOMBSTONES_KEPT_FOR } from '@ugc/shared/retention';
import { INDEX_LOCK, type IndexDeps } from './concrete-index.ts';

const BATCH = 500;

type PurgeDeps = Pick<IndexDeps, 'database' | 'elasticsearch' | 'signal'>;
// Not there, or there in a newer version than PostgreSQL knows, which a restore may leave behind.
const GONE = new Set([404, 409]);

type DeletedItem = { content_id: number; revision: number };

/**
 * Removes what nobody needs any more: old idempotency keys, and tombstones, from every index before PostgreSQL. A rebuild that has
 * read a tombstone would write it again, so the two exclude each other.
 * @returns false when the index is being made; then only keys were removed
 */
export async function purge(deps: PurgeDeps): Promise<boolean> {
  while ((await removeOldKeys(deps.database)) === BATCH) deps.signal.throwIfAborted();
  return deps.database.exclusively(INDEX_LOCK, (lockLost) =>
    removeTombstones({ ...deps, signal: AbortSignal.any([deps.signal, lockLost]) }),
  );
}

async function removeOldKeys(database: Database): Promise<number> {
  const removed = await database.query(
    `delete from idempotency_key where (user_id, key) in
       (select user_id, key from idempotency_key where created_at < now() - ${IDEMPOTENCY_KEYS_KEPT_FOR} limit ${BATCH})
     returning 1`,
  );
  return removed.length;
}

async function removeTombstones(deps: PurgeDeps): Promise<void> {
  for (let items = await listPurgeable(deps.database); items.length > 0; items = await listPurgeable(deps.database)) {
    deps.signal.throwIfAborted();
    if (await pausedSince(deps.database)) return;
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
  const failed = answers.find(({ delete: answer }) => answer && answer.status >= 300 && !GONE.has(answer.status));
  if (failed) throw new Error(`a tombstone could not be removed: ${failed.delete?.error?.type ?? 'no reason given'}`);
}
