import { INDEX_LOCK } from '@ugc/shared/indices/index-control';
import { withLock, type HeldLock } from '@ugc/shared/postgres/locks';
import {
  findTarget,
  setRole,
  changeTargets,
  listTargets,
  retireTargets,
  noteWriteBlock,
  type IndexTarget,
} from '@ugc/shared/indices/targets';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { isKnownMapping } from '@ugc/text/rules/text-rules';
import { inspectIndices, type InspectedTarget } from '@ugc/shared/ownership/inspect-indices';
import { readIdentity, type DatabaseIdentity } from '@ugc/shared/contracts/database-identity';
import { describeForeign, refusalOf, type Ownership } from '@ugc/shared/ownership/ownership';
import type { IndexSettings } from '@ugc/shared/contracts/index-settings';
import type { Log } from '@ugc/shared/process/log';
import type { Database } from '@ugc/shared/postgres/postgres';
import type { OnAhead } from '../conflicts/resolve-conflicts.ts';

export type IndexDeps = {
  database: Database;
  elasticsearch: Elasticsearch;
  alias: string;
  ownership: Ownership;
  settings: IndexSettings;
  log: Log;
  signal: AbortSignal;
  onAhead?: OnAhead;
};
/** Dependencies of what is done under the index lock. */
export type LockedDeps = IndexDeps & { lock: HeldLock };

export type Progress = (phase: string, done: number, total: number) => void;

/** An index could not be created, compared or swapped; the searched index is unchanged. */
export class RebuildError extends Error {
  override readonly name: string = 'RebuildError';
}

/** The indices belong to another database: this one is a copy, or it was moved and has to wait. Nothing was changed. */
export class ForeignIndex extends RebuildError {
  override readonly name = 'ForeignIndex';
}

export function describeCopy({ alias }: Pick<IndexDeps, 'alias'>, self: DatabaseIdentity, target: InspectedTarget): string {
  return (
    `${describeForeign(self, target.indexName, target)}. Nothing is written to it. If this database is a copy, set another ` +
    `CONTENT_ALIAS (now ${alias}); if it replaces the other one, run npx pnpm index:adopt`
  );
}

type Listed = Pick<IndexTarget, 'indexName' | 'role'>;

/**
 * A process that has lost the index lock must not fill an index that has become the searched one: changes are written to
 * that one last.
 * @throws RebuildError if the index was removed from the list or retired, has another role, or belongs to another database
 */
export async function readWritableTarget({ database, ownership }: IndexDeps, { indexName, role }: Listed): Promise<IndexTarget> {
  const target = (await listTargets(database)).find((listed) => listed.indexName === indexName);
  if (!target) throw new RebuildError(`${indexName} was removed`);
  assertNotRetired(target);
  if (target.role !== role) throw new RebuildError(`${indexName} has the role ${target.role} now, and had the role ${role}`);
  const self = await readIdentity(database);
  const refusal = refusalOf(self, indexName, (await ownership.judgeRecently(self, [target])).get(indexName));
  if (refusal !== undefined) throw new RebuildError(refusal);
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

/**
 * When this returns, no write to the index is in progress and new ones fail with a kind of error that is retried. If it
 * comes late, `recoverTargets` removes the block.
 */
export async function blockWrites({ database, elasticsearch, lock }: LockedDeps, { indexName }: IndexTarget): Promise<void> {
  await noteWriteBlock(database, indexName);
  await lock.assertHeld();
  const { acknowledged, shards_acknowledged: complete } = await elasticsearch.indices.addBlock({ index: indexName, block: 'write' });
  if (!acknowledged || !complete) throw new Error(`not every shard of ${indexName} has confirmed the write block`);
}

export async function unblockWrites({ elasticsearch, lock }: LockedDeps, { indexName }: IndexTarget): Promise<void> {
  await lock.assertHeld();
  await elasticsearch.indices.putSettings({ index: indexName, settings: { 'index.blocks.write': null } });
}

/**
 * Removes the index, if it belongs to this database and is not searched, then the target. A target that is not searched
 * is retired first: nobody rolls back to it while the index is being removed, not even if the request comes late and
 * another process holds the lock.
 * @throws ForeignIndex
 */
export async function removeIndex(deps: LockedDeps, { indexName }: Pick<IndexTarget, 'indexName'>): Promise<void> {
  const { self, targets, states } = await inspectIndices(deps);
  const target = targets.find((listed) => listed.indexName === indexName);
  if (target?.ofAlias && ['foreign', 'undecided', 'gone'].includes(target.verdict))
    throw new ForeignIndex(describeCopy(deps, self, target));
  const isSearched = target !== undefined && isKnownMapping(target.mappingVersion) && states.get(indexName)?.aliases.includes(deps.alias);
  if (target?.verdict === 'own' && !isSearched) await deleteIndex(deps, indexName);
  await forgetIndex(deps, indexName);
}

async function deleteIndex({ database, elasticsearch, lock }: LockedDeps, indexName: string): Promise<void> {
  await lock.assertHeld();
  await retireTargets(database, [{ indexName, reason: 'it is being removed' }]);
  await lock.assertHeld();
  await elasticsearch.indices.delete({ index: indexName, ignore_unavailable: true });
}

/** The index stays as it is. */
export async function forgetIndex({ database, lock }: LockedDeps, indexName: string): Promise<void> {
  await changeTargets(database, lock, (tx) => tx.query(`delete from index_target where index_name = $1`, [indexName]));
}

export async function promote({ database, alias, lock }: LockedDeps, { indexName }: IndexTarget): Promise<void> {
  await changeTargets(database, lock, async (tx) => {
    const from = await findTarget({ database: tx, alias }, 'search');
    if (from) await setRole(tx, from.indexName, 'previous');
    await setRole(tx, indexName, 'search');
  });
}

/** @returns false if another process holds the index lock */
export function withIndexLock(deps: IndexDeps, work: (held: LockedDeps) => Promise<void>): Promise<boolean> {
  return withLock(deps.database, INDEX_LOCK, (lock) => work({ ...deps, lock, signal: AbortSignal.any([deps.signal, lock.signal]) }));
}
