import { INDEX_BODY, indexPattern, newIndexName } from '@ugc/shared/contracts/content-index';
import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import {
  addNextTarget,
  changeTargets,
  findTarget,
  listTargets,
  retireTargets,
  setUuid,
  type IndexTarget,
} from '@ugc/shared/indices/targets';
import type { HeldLock } from '@ugc/shared/locks/held-lock';
import type { Log } from '@ugc/shared/process/log';
import type { Database } from '@ugc/shared/stores/postgres';

export type IndexDeps = { database: Database; elasticsearch: Elasticsearch; alias: string; log: Log; signal: AbortSignal };
/** For what is done under the index lock. */
export type LockedDeps = IndexDeps & { lock: HeldLock };

/** An index could not be created, compared or swapped; the searched index is unchanged. */
export class RebuildError extends Error {
  override readonly name = 'RebuildError';
}

/** The index is listed as a target first, so a crash cannot leave an unknown index behind. */
export async function createNextIndex(deps: LockedDeps): Promise<IndexTarget> {
  const { database, elasticsearch, alias, lock } = deps;
  // Otherwise a write to a missing index would create it with a mapping derived from the first document.
  await elasticsearch.indices.putIndexTemplate({ name: alias, index_patterns: [indexPattern(alias)], allow_auto_create: false });
  const indexName = newIndexName(alias, new Date());
  await changeTargets(database, lock, (tx) => addNextTarget(tx, indexName));
  await lock.assertHeld();
  await elasticsearch.indices.create({ index: indexName, ...INDEX_BODY, wait_for_active_shards: 1 });
  const { [indexName]: index } = await elasticsearch.indices.get({ index: indexName });
  await setUuid(database, lock, { indexName, uuid: index?.settings?.index?.uuid ?? '' });
  const next = await findTarget(database, 'next');
  if (!next) throw new Error(`${indexName} was removed from the targets while it was created`);
  return next;
}

/** @throws RebuildError if the index was removed from the list or retired */
export async function readWritableTarget(database: Database, indexName: string): Promise<IndexTarget> {
  const target = (await listTargets(database)).find((listed) => listed.indexName === indexName);
  if (!target) throw new RebuildError(`${indexName} was removed`);
  assertNotRetired(target);
  return target;
}

/** @throws RebuildError */
export function assertNotRetired({ indexName, retiredReason }: IndexTarget): void {
  if (retiredReason !== null) throw new RebuildError(`${indexName} was retired: ${retiredReason}`);
}

export async function indexExists({ elasticsearch }: IndexDeps, { indexName, uuid }: IndexTarget): Promise<boolean> {
  const found = await elasticsearch.indices.get({ index: indexName, ignore_unavailable: true });
  return found[indexName]?.settings?.index?.uuid === uuid;
}

export async function readRevisions(elasticsearch: Elasticsearch, indexName: string, contentIds: number[]): Promise<Map<number, number>> {
  const { docs } = await elasticsearch.mget({ index: indexName, ids: contentIds.map(String), _source: false });
  return new Map(docs.flatMap((doc) => ('found' in doc && doc.found ? [[Number(doc._id), doc._version ?? 0] as const] : [])));
}

/**
 * If this comes late, another process may hold the lock. The index that gets the alias was complete. While it is a
 * target it receives every change; if it is retired, `recoverTargets` moves the alias back; if it is gone, this fails.
 */
export async function pointAlias({ elasticsearch, alias, lock }: LockedDeps, { indexName }: IndexTarget): Promise<void> {
  await lock.assertHeld();
  await elasticsearch.indices.updateAliases({
    actions: [{ remove: { index: indexPattern(alias), alias, must_exist: false } }, { add: { index: indexName, alias } }],
  });
}

/**
 * When this returns, no write to the index is in progress and new ones fail with a kind of error that is retried. If it
 * comes late, `recoverTargets` removes the block.
 */
export async function blockWrites({ elasticsearch, lock }: LockedDeps, { indexName }: IndexTarget): Promise<void> {
  await lock.assertHeld();
  const { acknowledged, shards_acknowledged: complete } = await elasticsearch.indices.addBlock({ index: indexName, block: 'write' });
  if (!acknowledged || !complete) throw new Error(`not every shard of ${indexName} has confirmed the write block`);
}

export async function unblockWrites({ elasticsearch, lock }: LockedDeps, { indexName }: IndexTarget): Promise<void> {
  await lock.assertHeld();
  await elasticsearch.indices.putSettings({ index: indexName, settings: { 'index.blocks.write': null } });
}

/**
 * Removes the index, then the target. A target that is not searched is retired first: nobody rolls back to it while the
 * index is being removed, not even if the request comes late and another process holds the lock.
 */
export async function removeIndex({ database, elasticsearch, lock }: LockedDeps, { indexName }: IndexTarget): Promise<void> {
  await lock.assertHeld();
  await retireTargets(database, [{ indexName, reason: 'it is being removed' }]);
  await lock.assertHeld();
  await elasticsearch.indices.delete({ index: indexName, ignore_unavailable: true });
  await changeTargets(database, lock, (tx) => tx.query(`delete from index_target where index_name = $1`, [indexName]));
}
