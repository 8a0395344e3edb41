import { inspectIndices, type Inspection } from '@ugc/shared/ownership/inspect-indices';
import { aliasHolders, describeHolders, describeNamesake, type AliasHolder } from '@ugc/shared/indices/searched-index';
import { haveSameOrigin } from '@ugc/shared/contracts/database-identity';
import type { IndexTarget } from '@ugc/shared/indices/targets';
import { RebuildError, type IndexDeps, type LockedDeps } from './target-indices.ts';

/**
 * Fails if one of the other indices has lost the alias since it was read, so that the request of a process that was
 * paused does not undo a later swap. If it comes late all the same, the index that gets the alias was complete, and
 * receives every change while it is a target. If it is retired, `recoverTargets` moves the alias back.
 * @throws RebuildError if an index of another database has the alias
 */
export async function pointAlias(deps: LockedDeps, { indexName }: IndexTarget): Promise<void> {
  const { elasticsearch, alias } = deps;
  const inspection = await inspectIndices(deps);
  assertAliasIsOurs(deps, inspection);
  const others = aliasHolders(inspection.states, alias).filter(({ name }) => name !== indexName);
  await deps.lock.assertHeld();
  await elasticsearch.indices.updateAliases({
    actions: [...others.map(({ name }) => ({ remove: { index: name, alias, must_exist: true } })), { add: { index: indexName, alias } }],
  });
}

/**
 * The alias may be taken from an index of this database, and from one that names no database.
 * @throws RebuildError that names the index, its database, and what to do
 */
export function assertAliasIsOurs({ alias }: Pick<IndexDeps, 'alias'>, inspection: Inspection): void {
  const holders = aliasHolders(inspection.states, alias);
  if (holders.some(({ name }) => name === alias)) throw new RebuildError(describeNamesake(alias));
  const foreign = holders.filter((holder) => !mayLoseAlias(inspection, holder));
  if (foreign.length === 0) return;
  throw new RebuildError(
    `${describeHolders(alias, holders)}. Nothing is changed: set another CONTENT_ALIAS, or run npx pnpm index:adopt if this database replaces the other one`,
  );
}

function mayLoseAlias({ self, targets }: Inspection, { name, state }: AliasHolder): boolean {
  const target = targets.find(({ indexName }) => indexName === name);
  if (target) return target.verdict === 'own';
  return !state.owner || haveSameOrigin(state.owner, self);
}
