import type { Elasticsearch } from '../stores/elasticsearch.ts';

/**
 * Makes searchable what was written to an index. Elasticsearch responds with 200 also if some of the shards have failed.
 * @param options `requestTimeout` in milliseconds; that of the client by default
 * @throws Error unless every copy that has a node was refreshed · errors of Elasticsearch
 */
export async function refreshIndex(
  { indices }: Pick<Elasticsearch, 'indices'>,
  index: string,
  options: { requestTimeout?: number } = {},
): Promise<void> {
  const { _shards: shards } = await indices.refresh({ index }, options);
  if ((shards?.failed ?? 0) > 0) throw new Error(`${shards?.failed} of ${shards?.total} shards of ${index} could not be refreshed`);
}
