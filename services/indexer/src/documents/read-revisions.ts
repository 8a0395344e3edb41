import type { estypes } from '@elastic/elasticsearch';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';

/** Reads in real time, without a refresh. A lost index has no documents. */
export async function readRevisions(elasticsearch: Elasticsearch, indexName: string, contentIds: number[]): Promise<Map<number, number>> {
  const docs = await readDocuments(elasticsearch, { index: indexName, ids: contentIds.map(String), _source: false });
  return new Map(docs.map(({ _id, _version }) => [Number(_id), _version ?? 0]));
}

/** Reads in real time. @returns those of the ids of which the index has a tombstone: it does not show the items */
export async function readTombstones(elasticsearch: Elasticsearch, indexName: string, contentIds: number[]): Promise<Set<number>> {
  const docs = await readDocuments(elasticsearch, { index: indexName, ids: contentIds.map(String), _source: ['deleted'] });
  return new Set(docs.filter(({ _source }) => _source?.deleted === true).map(({ _id }) => Number(_id)));
}

type Request = { index: string; ids: string[]; _source: false | ['deleted'] };
type Found = estypes.GetGetResult<{ deleted?: boolean }>;

/** @returns those that the index has · @throws Error if it is unknown of one of them */
async function readDocuments(elasticsearch: Elasticsearch, request: Request): Promise<Found[]> {
  if (request.ids.length === 0) return [];
  const { docs } = await elasticsearch.mget<{ deleted?: boolean }>(request);
  const failed = docs.find((doc) => 'error' in doc && doc.error.type !== 'index_not_found_exception');
  if (failed) throw new Error(`${request.index} did not return the version of document ${failed._id}`);
  return docs.flatMap((doc) => ('found' in doc && doc.found ? [doc] : []));
}
