import type { estypes } from '@elastic/elasticsearch';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import type { Cluster } from '../../../test/support/cluster/cluster.ts';
import { patientClient } from '../collection/fill.ts';
import type { RecordedSearches } from './recorded-searches.ts';

const FIELDS = ['name', 'tags', 'description', 'creatorName'];
const text: estypes.MappingProperty = { type: 'text' };
/** The mapping of a service that does no more than it must: four text fields with the default analyzer. */
const PROPERTIES: Record<string, estypes.MappingProperty> = {
  ...Object.fromEntries(FIELDS.map((field) => [field, text])),
  data: { type: 'keyword', index: false, doc_values: false },
  deleted: { type: 'boolean' },
};

const COPIED_AT_ONCE = 2_000;

/** Copies the documents to a plain index. @returns its name */
export async function createPlainIndex(cluster: Cluster): Promise<string> {
  const alias = cluster.env['CONTENT_ALIAS'] ?? '';
  const index = `${alias}-plain`;
  const elasticsearch = patientClient(cluster);
  const mappings = { dynamic: false, properties: { ...PROPERTIES, createdAt: { type: 'date' }, contentId: { type: 'long' } } } as const;
  await elasticsearch.indices.create({ index, settings: { number_of_shards: 1, number_of_replicas: 0 }, mappings });
  for (let after: number | undefined = 0; after !== undefined;) after = await copyItems(elasticsearch, { from: alias, to: index, after });
  await elasticsearch.indices.refresh({ index });
  await elasticsearch.close();
  return index;
}

/**
 * @param options of `multi_match`, such as the fuzziness that tolerates typing errors
 * @returns one `multi_match` for each list with a prompt, sorted by relevance
 */
export function plainSearches(index: string, queries: string[], options: { fuzziness?: string } = {}): RecordedSearches {
  const toSearch = (query: string) => {
    const parameters = new URLSearchParams(query);
    const body = {
      query: { multi_match: { query: parameters.get('prompt'), fields: FIELDS, ...options } },
      sort: [{ _score: 'desc' }, { createdAt: 'desc' }],
      size: Number(parameters.get('size')),
      track_total_hits: true,
    };
    return [{ path: `/${index}/_search`, body: JSON.stringify(body) }];
  };
  return Object.fromEntries(queries.map((query) => [query, toSearch(query)]));
}

type Copy = { from: string; to: string; after: number };

/** The local Elasticsearch has no `_reindex`. @returns the last id; undefined at the end */
async function copyItems(elasticsearch: Elasticsearch, { from, to, after }: Copy): Promise<number | undefined> {
  const sort = [{ contentId: 'asc' as const }];
  const { hits } = await elasticsearch.search({ index: from, size: COPIED_AT_ONCE, sort, search_after: [after] });
  if (hits.hits.length === 0) return undefined;
  const operations = hits.hits.flatMap(({ _id = '', _source }) => [{ index: { _index: to, _id } }, _source]);
  await elasticsearch.bulk({ operations, filter_path: 'errors' });
  return Number(hits.hits.at(-1)?._id);
}
