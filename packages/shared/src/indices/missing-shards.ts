import type { estypes } from '@elastic/elasticsearch';
import type { Elasticsearch } from '../elasticsearch/elasticsearch.ts';
import { storeTimeout } from '../timing/timeouts.ts';

/** A missing shard is waited for by default for a minute. */
export const SHARD_TIMEOUT = `${storeTimeout(500)}ms`;

/** Options for the creation of an index. The response says whether the shards have started, before the client's timeout. */
export const WITH_SHARDS = { wait_for_active_shards: 1, timeout: `${storeTimeout(20_000)}ms` } as const;

/** One that its node reads from the disk is not missing. */
export async function countMissingShards({ cluster }: Elasticsearch, indexName: string): Promise<number> {
  const { indices = {} } = await cluster
    .health({ index: indexName, level: 'indices', timeout: SHARD_TIMEOUT })
    .catch(() => ({ indices: {} }));
  const health = (indices as Record<string, estypes.ClusterHealthIndexHealthStats>)[indexName];
  if (health?.status !== 'red' || health.initializing_shards > 0) return 0;
  return health.number_of_shards - health.active_primary_shards;
}

/** @returns why a shard of the index has no node, in the words of Elasticsearch; undefined if its user may not read it */
export async function explainMissingShard({ cluster, indices }: Elasticsearch, indexName: string): Promise<string | undefined> {
  const found = await indices.getSettings({ index: indexName }).catch((): estypes.IndicesGetSettingsResponse => ({}));
  const shards = Number(found[indexName]?.settings?.index?.number_of_shards ?? 1);
  for (let shard = 0; shard < shards; shard++) {
    const explained = await cluster.allocationExplain({ index: indexName, shard, primary: true }).catch(() => undefined);
    if (!explained) return undefined;
    if (explained.unassigned_info) return reasonOf(explained);
  }
  return undefined;
}

function reasonOf({ node_allocation_decisions: nodes = [], allocate_explanation: whole }: estypes.ClusterAllocationExplainResponse) {
  const refusals = nodes.flatMap(({ deciders = [] }) => deciders).filter(({ decision }) => decision !== 'YES');
  const explanations = new Set(refusals.map(({ explanation }) => explanation));
  return explanations.size > 0 ? [...explanations].slice(0, EXPLANATIONS_MAX).join('; ') : whole;
}

const EXPLANATIONS_MAX = 3;

export function describeNotStarted(indexName: string, reason = 'GET /_cluster/allocation/explain says why'): string {
  return (
    `the new index ${indexName} cannot be filled, because Elasticsearch does not start its shards (${reason}): ` +
    `correct that in the settings of the cluster; what is searched now is searched and written without it`
  );
}
