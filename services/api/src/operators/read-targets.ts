import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { isIndexLocked } from '@ugc/shared/indices/index-lock';
import { describeUnlisted, readIndexProblems } from '@ugc/shared/ownership/index-problems';
import {
  inspectIndices,
  readIndexSizes,
  type IndexSize,
  type InspectDeps,
  type InspectedTarget,
  type Inspection,
} from '@ugc/shared/ownership/inspect-indices';
import { isRebuildDue, listTargets, type IndexTarget } from '@ugc/shared/indices/targets';
import { describeDatabase } from '@ugc/shared/contracts/database-identity';
import type { Database } from '@ugc/shared/stores/postgres';
import type { Part, Rebuild, Target, TargetIndex, TargetsStatus } from '@ugc/shared/contracts/operations-status';
import type { ReadPart } from './read-part.ts';

type IndexSources = InspectDeps & { queuePrefix: string };
type TargetSources = IndexSources & { readPart: ReadPart };
type Indices = { inspection: Inspection; sizes: Map<string, IndexSize>; problems: string[] };

/** The targets are in PostgreSQL, so they are known while Elasticsearch is down. */
export async function readTargets({ readPart, ...sources }: TargetSources): Promise<Part<TargetsStatus>> {
  const [targets, indices] = await Promise.all([
    readPart('PostgreSQL', () => readList(sources.database)),
    readPart('Elasticsearch', () => readIndices(sources)),
  ]);
  if ('problem' in targets) return targets;
  const { list, rebuild } = targets.value;
  const { inspection, problems = [] } = 'value' in indices ? indices.value : {};
  return {
    value: {
      mappingVersion: MAPPING_VERSION,
      rebuildDue: list.some(isRebuildDue),
      rebuild,
      list: list.map((target) => describe(target, indices)),
      unlisted: inspection ? describeUnlisted(inspection, sources.alias) : [],
      problems,
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

async function readIndices(sources: IndexSources): Promise<Indices> {
  const inspection = await inspectIndices(sources);
  const names = inspection.targets.map(({ indexName }) => indexName);
  const sizes = await readIndexSizes(sources.elasticsearch, names);
  return { inspection, sizes, problems: await readIndexProblems(sources, inspection) };
}

function describe(target: IndexTarget, indices: Part<Indices>): Target {
  const { indexName, role, roleSince, mappingVersion, retiredReason } = target;
  const known = { indexName, role, roleSince: roleSince.toISOString(), mappingVersion, retiredReason, foreignOwner: null };
  if ('problem' in indices) return { ...known, index: null, problem: indices.problem };
  const inspected = indices.value.inspection.targets.find((listed) => listed.indexName === indexName);
  const index = inspected?.intact ? describeIndex(inspected, indices.value.sizes.get(indexName)) : null;
  const foreignOwner = inspected?.owner && inspected.verdict !== 'own' ? describeDatabase(inspected.owner) : null;
  return { ...known, foreignOwner, index, problem: index ? null : 'Elasticsearch has no such index: it was lost, or is being created.' };
}

function describeIndex({ searched, writesBlocked }: InspectedTarget, size: IndexSize | undefined): TargetIndex {
  const { documents = 0, bytes = 0, written = 0 } = size ?? {};
  return { searched, writesBlocked, documents, bytes, written };
}
