import type { estypes } from '@elastic/elasticsearch';
import type { UnlistedIndex } from '../contracts/operations-status.ts';
import { inspectIndices, type InspectDeps, type Inspection } from '../ownership/inspect-indices.ts';
import type { Elasticsearch } from '../stores/elasticsearch.ts';
import { describeUnlisted, readIndexProblems } from './index-problems.ts';

export type IndexSources = InspectDeps & { queuePrefix: string };

/** `sizes`: by the name of the index, of open indices only. */
export type IndicesStatus = { inspection: Inspection; sizes: Map<string, IndexSize>; unlisted: UnlistedIndex[]; problems: string[] };

/** @throws ElasticsearchClientError, DatabaseUnavailable */
export async function readIndices(sources: IndexSources): Promise<IndicesStatus> {
  const inspection = await inspectIndices(sources);
  const unlisted = describeUnlisted(inspection, sources.alias);
  const problems = await readIndexProblems(sources, inspection);
  return { inspection, sizes: await readIndexSizes(sources.elasticsearch, inspection), unlisted, problems };
}

/** `written`: documents written since the index was opened, including those that were overwritten. */
export type IndexSize = { documents: number; bytes: number; written: number };

/** @returns the sizes of the targets by the name of the index, of open indices only */
export async function readIndexSizes(elasticsearch: Elasticsearch, { targets }: Inspection): Promise<Map<string, IndexSize>> {
  if (targets.length === 0) return new Map();
  const { indices = {} } = await elasticsearch.indices.stats({
    index: targets.map(({ indexName }) => indexName),
    metric: ['docs', 'indexing', 'store'],
    expand_wildcards: ['open'],
    ignore_unavailable: true,
  } as estypes.IndicesStatsRequest);
  return new Map(Object.entries(indices).map(([name, { primaries }]) => [name, sizeOf(primaries)]));
}

function sizeOf({ docs, store, indexing }: estypes.IndicesStatsIndexStats = {}): IndexSize {
  return { documents: docs?.count ?? 0, bytes: store?.size_in_bytes ?? 0, written: indexing?.index_total ?? 0 };
}
