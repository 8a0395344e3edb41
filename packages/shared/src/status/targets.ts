import type { Definitions } from '@ugc/fields/definition';
import { MAPPING_VERSION } from '../contracts/content-index.ts';
import { describeDatabase } from '../contracts/database-identity.ts';
import type { Part, Rebuild, Target, TargetIndex, TargetsStatus, UnlistedIndex } from '../contracts/operations-status.ts';
import { describeUnsupported } from '../failures/describe-elasticsearch.ts';
import { isIndexLocked } from '../indices/index-control.ts';
import { readDeclaredFields } from '../fields/declared-fields.ts';
import { fieldsDue, isRebuildDue, listTargets, type IndexTarget } from '../indices/targets.ts';
import { inspectIndices, type InspectedTarget, type InspectDeps, type Inspection } from '../ownership/inspect-indices.ts';
import type { Database } from '../postgres/postgres.ts';
import { readPart, type OnError } from './read-part.ts';
import type { estypes } from '@elastic/elasticsearch';
import type { Elasticsearch } from '../elasticsearch/elasticsearch.ts';
import { describeUnlisted, readIndexProblems } from './index-problems.ts';

/** The targets are in PostgreSQL, so they are known while Elasticsearch is down. */
export async function readTargets(sources: IndexSources, onError: OnError): Promise<Part<TargetsStatus>> {
  const unsupported: string[] = [];
  const [targets, indices] = await Promise.all([
    readPart('PostgreSQL', readList(sources.database), onError),
    readPart('Elasticsearch', readIndices(sources), (error) => {
      unsupported.push(...[describeUnsupported(error)].filter((problem) => problem !== undefined));
      onError(error);
    }),
  ]);
  if ('problem' in targets) return targets;
  const { list, rebuild, declared } = targets.value;
  const { unlisted, problems } = 'value' in indices ? indices.value : { unlisted: [], problems: unsupported };
  return {
    value: {
      mappingVersion: MAPPING_VERSION,
      rebuildDue: list.some((target) => isRebuildDue(target, declared)),
      rebuildFields: list.flatMap((target) => fieldsDue(target, declared)),
      rebuild,
      list: list.map((target) => describe(target, indices)),
      unlisted,
      problems,
    },
  };
}

type Listed = { list: IndexTarget[]; rebuild: Rebuild | null; declared: Definitions };

async function readList(database: Database): Promise<Listed> {
  const [list, declared] = await Promise.all([listTargets(database), readDeclaredFields(database)]);
  const next = list.find(({ role }) => role === 'next');
  return { list, rebuild: next ? await readRebuild(database, next) : null, declared };
}

async function readRebuild(database: Database, { indexName, filledTo }: IndexTarget): Promise<Rebuild> {
  // Unlike a count, the greatest id is read from the index of the primary key.
  const [row] = await database.query<{ last: number | null }>(`select max(content_id) as last from content`);
  return { indexName, filledTo, lastContentId: Math.max(row?.last ?? 0, filledTo), running: await isIndexLocked(database) };
}

function describe(target: IndexTarget, indices: Part<IndicesStatus>): Target {
  const { indexName, role, roleSince, mappingVersion, fields, retiredReason, repair } = target;
  const restoredAt = target.restoredAt?.toISOString() ?? null;
  const known = {
    indexName,
    role,
    roleSince: roleSince.toISOString(),
    mappingVersion,
    fields: fields.map(({ name }) => name),
    retiredReason,
    foreignOwner: null,
    restoredAt,
    repair,
  };
  if ('problem' in indices) return { ...known, index: null, problem: indices.problem };
  const inspected = indices.value.inspection.targets.find((listed) => listed.indexName === indexName);
  const index = inspected?.intact ? describeIndex(inspected, indices.value.sizes.get(indexName)) : null;
  const foreignOwner = inspected?.owner && inspected.verdict !== 'own' ? describeDatabase(inspected.owner) : null;
  return { ...known, foreignOwner, index, problem: index ? null : 'Elasticsearch has no such index: it was lost, or is being created.' };
}

function describeIndex({ searched, writesBlocked }: InspectedTarget, size: IndexSize | undefined): TargetIndex {
  const { documents = 0, deleted = 0, bytes = 0, written = 0 } = size ?? {};
  return { searched, writesBlocked, documents, deleted, bytes, written };
}

export type IndexSources = InspectDeps & { queuePrefix: string };

/** `sizes`: by the name of the index, of open indices only. */
type IndicesStatus = { inspection: Inspection; sizes: Map<string, IndexSize>; unlisted: UnlistedIndex[]; problems: string[] };

/** @throws ElasticsearchClientError, DatabaseUnavailable */
export async function readIndices(sources: IndexSources): Promise<IndicesStatus> {
  const inspection = await inspectIndices(sources);
  const unlisted = describeUnlisted(inspection, sources.alias);
  const problems = await readIndexProblems(sources, inspection);
  return { inspection, sizes: await readIndexSizes(sources.elasticsearch, inspection), unlisted, problems };
}

/** `deleted`: tombstones among the documents. `written`: documents written since the index was opened, including those that were overwritten. */
export type IndexSize = { documents: number; deleted: number; bytes: number; written: number };

/** @returns the sizes of the targets by the name of the index, of open indices only */
export async function readIndexSizes(elasticsearch: Elasticsearch, { targets }: Inspection): Promise<Map<string, IndexSize>> {
  if (targets.length === 0) return new Map();
  const { indices = {} } = await elasticsearch.indices.stats({
    index: targets.map(({ indexName }) => indexName),
    metric: ['docs', 'indexing', 'store'],
    expand_wildcards: ['open'],
    ignore_unavailable: true,
  } as estypes.IndicesStatsRequest);
  const deleted = await countTombstones(elasticsearch, Object.keys(indices));
  return new Map(Object.entries(indices).map(([name, { primaries }]) => [name, { ...sizeOf(primaries), deleted: deleted.get(name) ?? 0 }]));
}

function sizeOf({ docs, store, indexing }: estypes.IndicesStatsIndexStats = {}): Omit<IndexSize, 'deleted'> {
  return { documents: docs?.count ?? 0, bytes: store?.size_in_bytes ?? 0, written: indexing?.index_total ?? 0 };
}

type OfIndices = { indices: estypes.AggregationsStringTermsAggregate };

async function countTombstones(elasticsearch: Elasticsearch, index: string[]): Promise<Map<string, number>> {
  if (index.length === 0) return new Map();
  const { aggregations } = await elasticsearch.search<unknown, OfIndices>({
    index,
    ignore_unavailable: true,
    size: 0,
    query: { term: { deleted: true } },
    aggregations: { indices: { terms: { field: '_index', size: index.length } } },
  });
  const buckets = (aggregations?.indices.buckets ?? []) as estypes.AggregationsStringTermsBucket[];
  return new Map(buckets.map(({ key, doc_count: count }) => [String(key), count]));
}
