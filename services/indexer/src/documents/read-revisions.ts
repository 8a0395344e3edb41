import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';

/** Reads in real time, without a refresh. A lost index has no documents. */
export async function readRevisions(elasticsearch: Elasticsearch, indexName: string, contentIds: number[]): Promise<Map<number, number>> {
  if (contentIds.length === 0) return new Map();
  const { docs } = await elasticsearch.mget({ index: indexName, ids: contentIds.map(String), _source: false });
  const failed = docs.find((doc) => 'error' in doc && doc.error.type !== 'index_not_found_exception');
  if (failed) throw new Error(`${indexName} did not return the version of document ${failed._id}`);
  return new Map(docs.flatMap((doc) => ('found' in doc && doc.found ? [[Number(doc._id), doc._version ?? 0] as const] : [])));
}

/** Reads in real time. @returns those of the ids of which the index has a tombstone: it does not show the items */
export async function readTombstones(elasticsearch: Elasticsearch, indexName: string, contentIds: number[]): Promise<Set<number>> {
  if (contentIds.length === 0) return new Set();
  const request = { index: indexName, ids: contentIds.map(String), _source: ['deleted'] };
  const { docs } = await elasticsearch.mget<{ deleted?: boolean }>(request);
  return new Set(docs.flatMap((doc) => ('found' in doc && doc._source?.deleted === true ? [Number(doc._id)] : [])));
}
