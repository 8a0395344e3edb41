import type { estypes } from '@elastic/elasticsearch';
import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import { IndexMoved, SearchFailed } from './search-failed.ts';
import type { SearchedIndex } from './searched-index.ts';
import { searchedTogether } from './with-searched-index.ts';

export type IndexSource = { elasticsearch: Elasticsearch; alias: string; index: SearchedIndex };
export type MultiSearchItem = estypes.MsearchMultiSearchItem;

/**
 * Sends small searches in one request. @returns their responses, in the same order
 * @throws SearchFailed, IndexMoved · errors of Elasticsearch · the signal's reason
 */
export async function multiSearch(
  { elasticsearch, alias, index }: IndexSource,
  searches: estypes.SearchSearchRequestBody[],
  signal: AbortSignal,
): Promise<MultiSearchItem[]> {
  if (searches.length === 0) return [];
  const request = { index: searchedTogether(alias, index), searches: searches.flatMap((search) => [{}, search]) };
  const { responses } = await elasticsearch.msearch(request, { signal });
  return responses.map((response) => toItem(response, index));
}

function toItem(response: estypes.MsearchResponseItem, { shards }: SearchedIndex): MultiSearchItem {
  if ('error' in response) throw new SearchFailed('one of several searches failed', { cause: response.error, status: response.status });
  if (response._shards.total !== shards) throw new IndexMoved();
  if (response.timed_out || response._shards.failed > 0) throw new SearchFailed('one of several searches is incomplete');
  return response;
}
