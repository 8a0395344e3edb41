import { aliasOf, indexPattern } from '../contracts/content-index.ts';
import { readIdentity, type DatabaseIdentity } from '../contracts/database-identity.ts';
import { aliasHolders } from '../indices/searched-index.ts';
import type { Judged, Ownership } from './ownership.ts';
import type { Elasticsearch } from '../elasticsearch/elasticsearch.ts';
import type { Database } from '../postgres/postgres.ts';
import { readIndexStates, type IndexState } from '../indices/read-index-states.ts';
import { listTargets, type IndexTarget } from '../indices/targets.ts';
import { isKnownMapping } from '@ugc/text/rules/text-rules';

export type InspectDeps = { database: Database; elasticsearch: Elasticsearch; alias: string; ownership: Ownership };

/**
 * Not `intact`: an index with another UUID was lost and created again, empty or from a backup. `searched`: the alias points
 * to it. `ofAlias`: its name begins with the present alias; false after a change of CONTENT_ALIAS.
 */
export type InspectedTarget = IndexTarget & Judged & { intact: boolean; searched: boolean; writesBlocked: boolean; ofAlias: boolean };

/** `states`: of the targets, of every index with a name of this alias, and of whatever has the alias. */
export type Inspection = { self: DatabaseIdentity; targets: InspectedTarget[]; states: Map<string, IndexState> };

export async function inspectIndices({ database, elasticsearch, alias, ownership }: InspectDeps): Promise<Inspection> {
  const self = await readIdentity(database);
  const listed = await listTargets(database);
  const states = await readStatesOfAlias(elasticsearch, alias, listed);
  const judged = await ownership.judge(self, listed, states);
  const targets = listed.flatMap((target) => {
    const verdict = judged.get(target.indexName);
    return verdict ? [{ ...inspect(target, states.get(target.indexName), alias), ...verdict }] : [];
  });
  return { self, targets, states };
}

/** @returns also the state of an index that has the name of the alias */
function readStatesOfAlias(
  elasticsearch: Elasticsearch,
  alias: string,
  targets: Pick<IndexTarget, 'indexName'>[],
): Promise<Map<string, IndexState>> {
  return readIndexStates(elasticsearch, { names: [alias, indexPattern(alias), ...targets.map(({ indexName }) => indexName)] });
}

type Condition = Pick<InspectedTarget, 'intact' | 'searched' | 'writesBlocked' | 'ofAlias'>;

export function inspect(target: IndexTarget, state: IndexState | undefined, alias: string): IndexTarget & Condition {
  const intact = state?.uuid !== undefined && state.uuid === target.uuid;
  const searched = intact && state.aliases.includes(alias);
  return { ...target, intact, searched, writesBlocked: intact && state.writesBlocked, ofAlias: aliasOf(target.indexName) === alias };
}

/** Otherwise an indexer removes it, and builds the searched one anew. */
export function isUsable({ intact, mappingVersion }: Pick<InspectedTarget, 'intact' | 'mappingVersion'>): boolean {
  return intact && isKnownMapping(mappingVersion);
}

/** A block that an operator has set is left as it is. */
export function hasBlockOfSwap({ writesBlocked, blockedBySwap }: Pick<InspectedTarget, 'writesBlocked' | 'blockedBySwap'>): boolean {
  return writesBlocked && blockedBySwap;
}

/** Whether the alias points to the listed index, and every index is there, writable and this database's own. */
export function isHealthy({ targets, states }: Inspection, alias: string): boolean {
  const [searched, ...others] = aliasHolders(states, alias);
  return (
    targets.some(({ role, indexName, ofAlias }) => ofAlias && role === 'search' && indexName === searched?.name) &&
    others.length === 0 &&
    targets.every((target) => isUsable(target) && !hasBlockOfSwap(target) && target.verdict === 'own')
  );
}

/** @returns the indices that have a name of this alias and are not listed */
export function unlistedIndices(
  states: Map<string, IndexState>,
  targets: Pick<IndexTarget, 'indexName'>[],
  alias: string,
): { indexName: string; state: IndexState }[] {
  const listed = new Set(targets.map(({ indexName }) => indexName));
  const isUnlisted = (name: string, { aliases }: IndexState): boolean =>
    !listed.has(name) && (aliasOf(name) === alias || name === alias || aliases.includes(alias));
  return [...states].filter(([name, state]) => isUnlisted(name, state)).map(([indexName, state]) => ({ indexName, state }));
}
