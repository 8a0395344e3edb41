import { aliasOf } from '@ugc/shared/contracts/content-index';
import { inspectIndices, unlistedIndices } from '@ugc/shared/ownership/inspect-indices';
import { listTargets, type IndexTarget } from '@ugc/shared/indices/targets';
import { describeDatabase, haveSameOrigin } from '@ugc/shared/contracts/database-identity';
import { recoverTargets } from './recover-targets.ts';
import { RebuildError, removeIndex, type LockedDeps } from './target-indices.ts';

/** Removes the previous indices, also those of a former CONTENT_ALIAS. @throws RebuildError if there is none */
export async function finish(deps: LockedDeps): Promise<void> {
  await removeAll(deps, ({ role, indexName }) => role === 'previous' || aliasOf(indexName) !== deps.alias, 'there is no previous index');
}

/** @throws RebuildError if there is no unfinished rebuild */
export async function cancel(deps: LockedDeps): Promise<void> {
  const isNext = ({ role, indexName }: IndexTarget) => role === 'next' && aliasOf(indexName) === deps.alias;
  await removeAll(deps, isNext, 'there is no rebuild to cancel');
}

/** The swap of a crashed process is completed first: its index may already be searched. */
async function removeAll(deps: LockedDeps, condition: (target: IndexTarget) => boolean, otherwise: string): Promise<void> {
  await recoverTargets(deps);
  const targets = (await listTargets(deps.database)).filter(condition);
  if (targets.length === 0) throw new RebuildError(otherwise);
  for (const target of targets) await removeIndex(deps, target);
}

/** Removes an index that no list knows, as after a restore. @throws RebuildError that says why it must stay */
export async function removeUnlisted(deps: LockedDeps, indexName: string): Promise<void> {
  const { self, states, targets } = await inspectIndices(deps);
  const unlisted = unlistedIndices(states, targets, deps.alias).find((index) => index.indexName === indexName);
  if (targets.some((target) => target.indexName === indexName))
    throw new RebuildError(`${indexName} is in use; --finish removes a previous index, --cancel an unfinished one`);
  if (!unlisted) throw new RebuildError(`there is no index ${indexName} with a name of the alias ${deps.alias}`);
  const { aliases, owner } = unlisted.state;
  if (aliases.length > 0)
    throw new RebuildError(`${indexName} has an alias (${aliases.join(', ')}), so it may be in use; remove the alias first`);
  if (owner && !haveSameOrigin(owner, self)) throw new RebuildError(`${indexName} belongs to the database ${describeDatabase(owner)}`);
  await deps.lock.assertHeld();
  await deps.elasticsearch.indices.delete({ index: indexName });
}
