import type { estypes } from '@elastic/elasticsearch';
import { indexPattern } from '../contracts/content-index.ts';
import type { Elasticsearch } from '../stores/elasticsearch.ts';
import type { Database } from '../stores/postgres.ts';
import { listTargets, type IndexTarget } from './targets.ts';

type InspectDeps = { database: Database; elasticsearch: Elasticsearch; alias: string };

/** An index as Elasticsearch describes it. `searched`: the alias points to it. */
export type IndexState = { uuid: string | undefined; searched: boolean; writesBlocked: boolean };

/** Not `intact`: an index with another UUID was lost and created again, empty or from a backup. */
export type InspectedTarget = IndexTarget & { intact: boolean; searched: boolean; writesBlocked: boolean };

export async function inspectTargets({ database, elasticsearch, alias }: InspectDeps): Promise<InspectedTarget[]> {
  const targets = await listTargets(database);
  const states = await readIndexStates(elasticsearch, alias);
  return targets.map((target) => inspect(target, states.get(target.indexName)));
}

/** @returns the states by the name of the index, also of indices that are not targets */
export async function readIndexStates(elasticsearch: Elasticsearch, alias: string): Promise<Map<string, IndexState>> {
  // A closed index is not lost.
  const indices = await elasticsearch.indices.get({ index: indexPattern(alias), expand_wildcards: ['open', 'closed'] });
  return new Map(Object.entries(indices).map(([name, index]) => [name, stateOf(index, alias)]));
}

function stateOf({ settings, aliases }: estypes.IndicesIndexState, alias: string): IndexState {
  const { uuid, blocks } = settings?.index ?? {};
  return { uuid, searched: aliases?.[alias] !== undefined, writesBlocked: String(blocks?.write) === 'true' };
}

export function inspect(target: IndexTarget, state: IndexState | undefined): InspectedTarget {
  const intact = state?.uuid !== undefined && state.uuid === target.uuid;
  return { ...target, intact, searched: intact && state.searched, writesBlocked: intact && state.writesBlocked };
}

/** `written`: documents written since the index was opened, including those that were overwritten. */
export type IndexSize = { documents: number; bytes: number; written: number };

/** @returns the sizes by the name of the index, of open indices only */
export async function readIndexSizes(elasticsearch: Elasticsearch, alias: string): Promise<Map<string, IndexSize>> {
  const { indices = {} } = await elasticsearch.indices.stats({ index: indexPattern(alias), metric: ['docs', 'indexing', 'store'] });
  return new Map(Object.entries(indices).map(([name, { primaries }]) => [name, sizeOf(primaries)]));
}

function sizeOf({ docs, store, indexing }: estypes.IndicesStatsIndexStats = {}): IndexSize {
  return { documents: docs?.count ?? 0, bytes: store?.size_in_bytes ?? 0, written: indexing?.index_total ?? 0 };
}
