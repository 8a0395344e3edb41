import { MAPPING_VERSION } from '../contracts/content-index.ts';
import { describeDatabase } from '../contracts/database-identity.ts';
import type { Part, Rebuild, Target, TargetIndex, TargetsStatus } from '../contracts/operations-status.ts';
import { isIndexLocked } from '../indices/index-lock.ts';
import { isRebuildDue, listTargets, type IndexTarget } from '../indices/targets.ts';
import type { InspectedTarget } from '../ownership/inspect-indices.ts';
import type { Database } from '../stores/postgres.ts';
import { readIndices, type IndexSize, type IndexSources, type IndicesStatus } from './indices.ts';
import { readPart, type OnError } from './read-part.ts';

/** The targets are in PostgreSQL, so they are known while Elasticsearch is down. */
export async function readTargets(sources: IndexSources, onError: OnError): Promise<Part<TargetsStatus>> {
  const [targets, indices] = await Promise.all([
    readPart('PostgreSQL', readList(sources.database), onError),
    readPart('Elasticsearch', readIndices(sources), onError),
  ]);
  if ('problem' in targets) return targets;
  const { list, rebuild } = targets.value;
  const { unlisted, problems } = 'value' in indices ? indices.value : { unlisted: [], problems: [] };
  return {
    value: {
      mappingVersion: MAPPING_VERSION,
      rebuildDue: list.some(isRebuildDue),
      rebuild,
      list: list.map((target) => describe(target, indices)),
      unlisted,
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

function describe(target: IndexTarget, indices: Part<IndicesStatus>): Target {
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
