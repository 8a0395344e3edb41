import {
  hasBlockOfSwap,
  inspectIndices,
  isUsable,
  type InspectedTarget,
  type Inspection,
  unlistedIndices,
} from '@ugc/shared/ownership/inspect-indices';
import { haveSameOrigin, describeDatabase } from '@ugc/shared/contracts/database-identity';
import { MAPPING_VERSION, aliasOf } from '@ugc/shared/contracts/content-index';
import { listTargetsOf, listTargets, type IndexTarget } from '@ugc/shared/indices/targets';
import { aliasHolders } from '@ugc/shared/indices/searched-index';
import { describeForeign } from '@ugc/shared/ownership/ownership';
import { labelIndex, takeOver } from './claim.ts';
import { assertAliasIsOurs, pointAlias } from './point-alias.ts';
import {
  promote,
  describeCopy,
  ForeignIndex,
  forgetIndex,
  removeIndex,
  unblockWrites,
  type LockedDeps,
  RebuildError,
} from './target-indices.ts';

/**
 * Completes or undoes the swap of a crashed process: the alias decides. Takes over the indices of a database that does not
 * run any more.
 * @returns whether an index can be searched
 * @throws ForeignIndex
 */
export async function recoverTargets(deps: LockedDeps): Promise<boolean> {
  await claimTargets(deps);
  const inspection = await inspectIndices(deps);
  assertAliasIsOurs(deps, inspection);
  const targets = inspection.targets.filter(({ ofAlias }) => ofAlias);
  const search = searchedTarget(targets);
  for (const target of inspection.targets.filter((target) => !isUsable(target))) await removeIndex(deps, target);
  if (!search) return false;
  if (!isOnlyHolder(inspection, deps.alias, search)) await pointAlias(deps, search);
  if (search.role !== 'search') await promote(deps, search);
  for (const target of targets.filter(hasBlockOfSwap)) await unblockWrites(deps, target);
  await removeOutdated(deps);
  return true;
}

/** A retired index lacks changes. It has the alias only if a process was late that had begun to swap before it was retired. */
function searchedTarget(targets: InspectedTarget[]): InspectedTarget | undefined {
  const usable = targets.filter(isUsable);
  const searched = usable.filter((target) => target.searched && target.retiredReason === null);
  return searched.find(({ role }) => role === 'search') ?? searched[0] ?? usable.find(({ role }) => role === 'search');
}

function isOnlyHolder({ states }: Inspection, alias: string, { indexName }: InspectedTarget): boolean {
  const holders = aliasHolders(states, alias);
  return holders.length === 1 && holders[0]?.name === indexName;
}

/** The searched index comes first: whoever owns it decides about the others. */
async function claimTargets(deps: LockedDeps): Promise<void> {
  const inspection = await inspectIndices(deps);
  const inOrder = inspection.targets.toSorted((a, b) => Number(b.role === 'search') - Number(a.role === 'search'));
  for (const target of inOrder) await claimTarget(deps, inspection, target);
  await claimAliasHolder(deps, inspection);
}

/**
 * The list was copied with the database: an index of another alias that is not ours is the original's, and is forgotten.
 * One of the own alias is taken over when its owner does not run any more.
 */
async function claimTarget(deps: LockedDeps, inspection: Inspection, target: InspectedTarget): Promise<void> {
  const { self, states } = inspection;
  const state = states.get(target.indexName);
  if (target.verdict === 'missing' || !state) return;
  if (target.verdict === 'own') return labelIndex(deps, self, target.indexName, state);
  if (mayBeSame(self, target) && !target.ofAlias) return;
  if (isToBeForgotten(inspection, target)) return forget(deps, self, target);
  if (target.verdict === 'gone') return takeOver(deps, self, { indexName: target.indexName, state, judged: target });
  throw new ForeignIndex(describeCopy(deps, self, target));
}

function mayBeSame(self: Inspection['self'], { verdict, owner }: InspectedTarget): boolean {
  return verdict === 'undecided' && owner !== undefined && haveSameOrigin(self, owner);
}

function isToBeForgotten({ targets }: Inspection, { verdict, owner, ofAlias, role }: InspectedTarget): boolean {
  if (!ofAlias || (verdict === 'foreign' && !owner)) return true;
  const isSearchedOwn = targets.some((target) => target.ofAlias && target.role === 'search' && target.verdict === 'own');
  return verdict === 'foreign' && role !== 'search' && isSearchedOwn;
}

/** After a restore the alias may be on an index of this database, before it got another oid, that the list does not know yet. */
async function claimAliasHolder(deps: LockedDeps, { self, targets, states }: Inspection): Promise<void> {
  for (const { name: indexName, state } of aliasHolders(states, deps.alias)) {
    const isListed = targets.some((target) => target.indexName === indexName);
    if (isListed || state.owner?.id !== self.id || haveSameOrigin(state.owner, self)) continue;
    const judged = (await deps.ownership.judge(self, [{ indexName }], states)).get(indexName);
    if (judged?.verdict === 'gone') await takeOver(deps, self, { indexName, state, judged });
  }
}

async function forget(deps: LockedDeps, self: Inspection['self'], target: InspectedTarget): Promise<void> {
  deps.log.warn({ indexName: target.indexName }, `an index is no longer listed: ${describeForeign(self, target.indexName, target)}`);
  await forgetIndex(deps, target.indexName);
}

/** Keeps only the latest previous index, and none with a newer mapping, which this code could not keep up to date. */
export async function removeOutdated(deps: LockedDeps): Promise<void> {
  const previous = (await listTargetsOf(deps)).filter(({ role }) => role === 'previous');
  const latest = Math.max(...previous.map(({ roleSince }) => roleSince.getTime()));
  for (const target of previous) {
    if (target.roleSince.getTime() < latest || target.mappingVersion > MAPPING_VERSION) await removeIndex(deps, target);
  }
}

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
  for (const target of targets) {
    deps.signal.throwIfAborted();
    await removeIndex(deps, target);
  }
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
  deps.signal.throwIfAborted();
  await deps.elasticsearch.indices.delete({ index: indexName });
}
