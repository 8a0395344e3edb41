import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { isIndexLocked } from '@ugc/shared/indices/index-lock';
import { inspect, readIndexSizes, readIndexStates, type IndexSize, type IndexState } from '@ugc/shared/indices/inspect-targets';
import { isRebuildDue, listTargets, type IndexTarget } from '@ugc/shared/indices/targets';
import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import type { Database } from '@ugc/shared/stores/postgres';
import type { Part, Rebuild, Target, TargetIndex, TargetsStatus } from '@ugc/shared/contracts/operations-status';
import type { ReadPart } from './read-part.ts';

type TargetSources = { database: Database; elasticsearch: Elasticsearch; alias: string; readPart: ReadPart };
type Indices = { states: Map<string, IndexState>; sizes: Map<string, IndexSize> };

/** The targets are in PostgreSQL, so they are known while Elasticsearch is down. */
export async function readTargets({ database, elasticsearch, alias, readPart }: TargetSources): Promise<Part<TargetsStatus>> {
  const [targets, indices] = await Promise.all([
    readPart('PostgreSQL', () => readList(database)),
    readPart('Elasticsearch', () => readIndices(elasticsearch, alias)),
  ]);
  if ('problem' in targets) return targets;
  const { list, rebuild } = targets.value;
  return {
    value: {
      mappingVersion: MAPPING_VERSION,
      rebuildDue: list.some(isRebuildDue),
      rebuild,
      list: list.map((target) => describe(target, indices)),
    },
  };
}

async function readList(database: Database): Promise<{ list: IndexTarget[]; rebuild: Rebuild | null }> {
  const list = await listTargets(database);
  const next = list.find(({ role }) => role === 'next');
  return { list, rebuild: next ? await readRebuild(database, next) : null };
}

async function readRebuild(database: Database, { indexName, filledTo }: IndexTarget): Promise<Rebuild> {
  // Unlike a count, the greatest id is read from the index of the primary key.
  const [row] = await database.query<{ last: number | null }>(`select max(content_id) as last from content`);
  return { indexName, filledTo, lastContentId: Math.max(row?.last ?? 0, filledTo), running: await isIndexLocked(database) };
}

async function readIndices(elasticsearch: Elasticsearch, alias: string): Promise<Indices> {
  const [states, sizes] = await Promise.all([readIndexStates(elasticsearch, alias), readIndexSizes(elasticsearch, alias)]);
  return { states, sizes };
}

function describe(target: IndexTarget, indices: Part<Indices>): Target {
  const { indexName, role, roleSince, mappingVersion, retiredReason } = target;
  const known = { indexName, role, roleSince: roleSince.toISOString(), mappingVersion, retiredReason };
  if ('problem' in indices) return { ...known, index: null, problem: indices.problem };
  const index = describeIndex(target, indices.value);
  return { ...known, index, problem: index ? null : 'Elasticsearch has no such index: it was lost, or is being created.' };
}

function describeIndex(target: IndexTarget, { states, sizes }: Indices): TargetIndex | null {
  const { intact, searched, writesBlocked } = inspect(target, states.get(target.indexName));
  const { documents = 0, bytes = 0, written = 0 } = sizes.get(target.indexName) ?? {};
  return intact ? { searched, writesBlocked, documents, bytes, written } : null;
}
